/** The list of what `store copy` carries over, against both schemas: a new table or column must not be forgotten. */
import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from 'vitest';
import { copiedTables } from '../../../src/store/copy/copied-tables.ts';
import { migrate } from '../../../src/store/sqlite/file/migrate.ts';
import { openFixture } from '../../conformance/store-fixture.ts';
import { postgres } from '../kit/postgres-places.ts';
import { rawClient } from '../kit/raw-client.ts';

/** What is not copied, and why. A whole table ends in `.*`. */
const ofBoth = [
  // Of running processes.
  ...['processes.*', 'open_breakers.*'],
  // Computed by the store: PostgreSQL stores some characters as two.
  ...['quarantine.bytes', 'quarantine_counts.bytes', 'machine_states.phases'],
];
// A bound, which the copy computes.
const ofSqlite = [...ofBoth, 'retention.first_body'];
const ofPostgres = [
  ...ofBoth,
  // Of running processes.
  ...[
    'leases.*',
    'pause_acknowledgements.*',
    'deliveries.holder',
    'deliveries.starts',
    'alerts.taken_by',
    'alerts.taken_until',
  ],
  // Of the server.
  'known_server.*',
  // Of the schema.
  'migrations.*',
  // Numbers for an erasure that reads all rows.
  ...['machine_states.id', 'machine_bases.id'],
  // Copied as kinds of `event_counts`, and as the last number of `audit`.
  ...['counted_kinds.*', 'audit_start.last'],
  // Copied as times of events.
  'pruned_days.*',
  // Copied as what they add to `failure_groups`.
  'failure_changes.*',
  // Copied as columns of `events`.
  ...['event_contents.event_id', 'event_contents.received_at'],
];

function missing(all: readonly string[], exceptions: readonly string[], copied: readonly string[]) {
  const isLeftOut = (column: string) =>
    exceptions.includes(column) || exceptions.includes(`${column.split('.')[0] ?? ''}.*`);
  return {
    forgotten: all.filter((column) => !copied.includes(column) && !isLeftOut(column)),
    unknown: copied.filter((column) => !all.includes(column)),
    stale: exceptions.filter(
      (name) => !all.some((column) => column === name || `${column.split('.')[0] ?? ''}.*` === name),
    ),
  };
}

const none = { forgotten: [], unknown: [], stale: [] };
const copied = copiedTables.flatMap(({ name, columns }) =>
  Object.keys(columns).map((column) => `${name}.${column}`),
);

test('every column in SQLite is copied, or left out for a reason', () => {
  const database = new BetterSqlite3(':memory:');
  migrate(database);
  const columns = database
    .prepare<[], string>(
      `select tables.name || '.' || columns.name from sqlite_schema as tables, pragma_table_xinfo(tables.name) as columns
       where tables.type = 'table' and tables.name not like 'sqlite\\_%' escape '\\'`,
    )
    .pluck()
    .all();
  expect(missing(columns, ofSqlite, copied)).toEqual(none);
  // Tables that number their rows for ever.
  const numbered = database
    .prepare<[], string>("select name from sqlite_schema where type = 'table' and sql like '%autoincrement%'")
    .pluck()
    .all();
  const used = copiedTables.filter(({ numbered }) => numbered === 'used').map(({ name }) => name);
  expect(used.toSorted()).toEqual(numbered.toSorted());
});

test('every column in PostgreSQL is copied, or left out for a reason', async () => {
  const { store } = await openFixture(postgres);
  const client = await rawClient(store);
  const { rows } = await client.query<{ name: string; generated: boolean }>(
    `select table_name || '.' || column_name as name, identity_generation = 'BY DEFAULT' as generated
     from information_schema.columns
     where table_schema = current_schema() and table_name not like 'event\\_contents\\_%'`,
  );
  const moved = ['events.headers', 'events.body'];
  const here = [
    ...copied.filter((column) => !moved.includes(column)),
    ...['event_contents.headers', 'event_contents.body'],
  ];
  expect(
    missing(
      rows.map(({ name }) => name),
      ofPostgres,
      here,
    ),
  ).toEqual(none);
  const drawn = rows.filter(({ generated }) => generated).map(({ name }) => name);
  const known = copiedTables.filter(({ name, numbered }) => numbered !== undefined && name !== 'audit');
  expect(known.map(({ name }) => `${name}.id`).toSorted()).toEqual(
    drawn.filter((column) => !column.startsWith('machine_')).toSorted(),
  );
});
