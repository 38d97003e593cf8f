/** What pages and numbers read locks the table of a day or two, however many days are stored. */
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { openFixture, type StoreFixture } from '../../conformance/store-fixture.ts';
import { postgres } from '../kit/postgres-places.ts';
import { rawClient } from '../kit/raw-client.ts';

const DAY_MS = 86_400_000;
const DAYS = 12;

const reads: readonly (readonly [string, (fixture: StoreFixture, id: string) => Promise<unknown>])[] = [
  ['the numbers', ({ store }) => store.statistics()],
  ['the numbers of each page', ({ store }) => store.totals()],
  ['an event', ({ store }, id) => store.event(id)],
  ['a page of events', ({ store }) => store.events({}, { order: 'newest', limit: 10 })],
  ['space that is given back', ({ store }) => store.giveBackSpace(1)],
];

test.each(reads)('%s', async (_, read) => {
  const fixture = await openFixture(postgres);
  const { stored, clock, store } = fixture;
  let id = '';
  for (let day = 0; day < DAYS; day += 1) {
    id = await stored({ subject: `company:${String(day)}` });
    clock.advance(DAY_MS);
  }
  const client = await rawClient(store);
  const query = vi.spyOn(pg.Client.prototype, 'query');
  await read(fixture, id);
  const sent = query.mock.calls.map(([statement]) => statement as unknown as pg.QueryConfig);
  query.mockRestore();

  const reading = sent.filter(({ text }) => /^\s*(?:select|with)/u.test(String(text)));
  expect(reading.length).toBeGreaterThan(0);
  for (const { text, values } of reading) {
    await client.query('begin');
    await client.query({ text, values: values ?? [] });
    const { rows } = await client.query<{ days: number }>(
      `select count(distinct relation)::integer as days from pg_locks
       join pg_inherits on inhrelid = relation and inhparent = 'event_contents'::regclass
       where pid = pg_backend_pid()`,
    );
    await client.query('rollback');
    expect(rows[0]?.days, text).toBeLessThanOrEqual(2);
  }
});
