/** docs/internals/privacy.md lists every column of text or bytes in PostgreSQL, so that an auditor misses none. */
import { expect, test } from 'vitest';
import { contentTables, tableOf } from '../../../src/store/postgres/privacy/content-tables.ts';
import { contentPlaces } from '../../../src/store/privacy.ts';
import { openFixture } from '../../conformance/store-fixture.ts';
import { documentedColumns } from '../../privacy/documented-columns.ts';
import { postgres } from '../kit/postgres-places.ts';
import { rawClient } from '../kit/raw-client.ts';

/** Those of an event have a table of their own. */
const moved = new Set(['events.headers', 'events.body']);

function documented() {
  const [common, own] = [documentedColumns(), documentedColumns('columns of PostgreSQL')];
  return {
    erased: [...common.erased.filter((name) => !moved.has(name)), ...own.erased],
    other: [...common.other, ...own.other],
  };
}

test('every column of text or bytes is listed once', async () => {
  const { store } = await openFixture(postgres);
  const client = await rawClient(store);
  const { rows } = await client.query<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = current_schema() and data_type in ('text', 'bytea', 'jsonb')
       and table_name not like 'event\\_contents\\_%'`,
  );
  const { erased, other } = documented();
  expect(rows.map(({ name }) => name).toSorted()).toEqual([...erased, ...other].toSorted());
});

test('the erased columns are those that an erasure reads, and the digests that it keys', () => {
  const read = contentPlaces.flatMap((place) => {
    const { texts, body } = contentTables[place];
    return [...texts, ...(body ? ['body'] : [])].map((name) => `${tableOf(place, name)}.${name}`);
  });
  const keyed = [
    'events.digest',
    'events.message_digest',
    'quarantine.canonical_digest',
    'quarantine.digest',
  ];
  expect([...read, ...keyed].toSorted()).toEqual(documented().erased.toSorted());
});
