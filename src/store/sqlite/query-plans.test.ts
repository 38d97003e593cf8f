import { expect, test, vi } from 'vitest';
import { emptyDatabase } from '../../../test/support/empty-store.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { createConnection } from './sql/connection.ts';
import { createWriteOperations } from './commit/write-operations.ts';
import { createReads, type Reads } from './read/reads.ts';
import type * as Statements from './sql/statement.ts';

// All statements are of interest, not only those that a test runs.
vi.mock('./sql/statement.ts', async (original) => {
  const statement = await original<typeof Statements>();
  return { ...statement, prepare: statement.prepareNow };
});

/** A store whose statements are recorded when they are prepared. */
function openRecording() {
  const database = emptyDatabase();
  const texts: string[] = [];
  const recording = new Proxy(database, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      return (...parameters: unknown[]): unknown => {
        if (property === 'prepare') texts.push(String(parameters[0]));
        return Reflect.apply(value, target, parameters);
      };
    },
  });
  const planOf = (text: string) => {
    // The values of parameters do not affect these plans.
    const positional = [...text.matchAll(/\?/g)].map(() => null);
    const steps = database.prepare<unknown[], { detail: string }>(`explain query plan ${text}`);
    return steps.all(...positional).map(({ detail }) => detail);
  };
  return { database, connection: createConnection(recording, 'abcdef', manualClock()), texts, planOf };
}

/** Returns every statement that the write operations prepare, with its plan. */
function preparedStatements() {
  const { connection, texts, planOf } = openRecording();
  createWriteOperations(connection, { maxQuarantineBytes: 1_000_000 });
  return texts.map((text) => ({ text, plan: planOf(text) }));
}

/** Statements that scan: at the start of a process, and when the clock went back. */
const RARE = [
  // At the start of a process: a row for each restore.
  /^select .* from "former_store_ids"/,
  /^update "deliveries" set "due_at" = \+\?, "asked_at" = \+\? where "head" = 1/,
  /^select .*"attempts" from "deliveries" where "finished_at" is null and "status" = /,
  /^select "handler" from "delivery_counts"/,
  // At most six rows: two kinds of senders, three reasons.
  /^select .* from "quarantine_counts"$/,
  // At a probe of an open breaker: at most 10,000 due heads.
  /^select "due"\.\* from \(select .* limit 10000\) as "due"/,
  // At the first event of an unknown kind: at most 1,000 rows.
  /^select distinct "kind" from "event_counts"/,
];

test('no statement of the hot path scans a table or sorts', () => {
  const statements = preparedStatements().filter(({ text }) => !RARE.some((rare) => rare.test(text)));

  expect(statements.length).toBeGreaterThan(20);
  const costly = statements.filter(({ plan }) =>
    plan.some((step) => step.startsWith('SCAN ') && !step.includes('VIRTUAL TABLE')),
  );
  expect(costly).toEqual([]);
  const sorting = statements.filter(({ plan }) => plan.some((step) => step.includes('TEMP B-TREE')));
  expect(sorting).toEqual([]);
});

/** Returns the plans of the statements that a read runs on an empty store. */
async function plansOf(read: (reads: Reads) => Promise<unknown>): Promise<readonly string[]> {
  const { database, connection, texts, planOf } = openRecording();
  database.exec(`insert into delivery_counts values ('noop', 'dead', 50000)`);
  database.exec(`insert into subjects (id, source, family, entity) values (1, 'default', 'company', '1');
    insert into events (id, kind, recognized, subject_id, digest_key, digest, verdict, flags, received_at, headers)
    values (1, 'x', 0, 1, 0, x'00', 'new', '[]', 0, '{}')`);
  const about = { storeId: 'abcdef', maxQuarantineBytes: 1_000 };
  await read(createReads(connection, about));
  return texts
    .filter((text) => /^\s*(?:select|with)\b/u.test(text) && !text.includes('former_store_ids'))
    .flatMap(planOf);
}

test.each([
  ['kind', { kinds: ['charge.*'] }],
  ['verdict', { verdict: 'stale' }],
  ['flag', { flag: 'erased' }],
  ['source', { source: 'x' }],
  ['time', { since: 5 }],
  ['status, of many deliveries', { status: 'dead' }],
  ['succeeded', { status: 'succeeded' }],
] as const)(
  'a step of a search by %s walks a range of events, and looks up the rest',
  async (_name, filter) => {
    const scan = { filter, content: null, limit: 51, maxMs: 25 };
    const plans = await plansOf((reads) => reads.scanEvents(scan));
    expect(plans.filter((step) => /^(?:SCAN|SEARCH) events /u.test(step))).toContainEqual(
      expect.stringContaining('INTEGER PRIMARY KEY'),
    );
    expect(
      plans.filter((step) => step.startsWith('SCAN ') && !/VIRTUAL TABLE|delivery_counts/u.test(step)),
    ).toEqual([]);
    expect(plans.filter((step) => step.includes('TEMP B-TREE FOR ORDER BY'))).toEqual([]);
    expect(plans.join()).not.toContain('deliveries_dead');
  },
);

test('the dead deliveries of a handler are found by their index, newest first', async () => {
  const page = { order: 'newest', limit: 51 } as const;
  const ofOne = await plansOf((reads) => reads.deliveries({ status: 'dead', handler: 'noop' }, page));
  expect(ofOne.join()).toContain('deliveries_dead_of_handler');
  const ofAll = await plansOf((reads) => reads.deliveries({ status: 'dead' }, page));
  for (const plans of [ofOne, ofAll])
    expect(plans.filter((step) => step.includes('TEMP B-TREE') || step.startsWith('SCAN '))).toEqual([]);
});

test('the deliveries of a company are found by its subjects', async () => {
  const subjects = [{ source: 'default', subject: { family: 'company', id: '1' } }];
  const filter = { status: 'pending', company: '1', subjects } as const;
  const plans = await plansOf((reads) => reads.deliveries(filter, { order: 'newest', limit: 51 }));
  expect(plans.join()).toContain('events_by_subject');
  expect(plans.filter((step) => step.startsWith('SCAN ') && !step.includes('VIRTUAL TABLE'))).toEqual([]);
});

test('what handlers never got is found in a range of events and one of deliveries', async () => {
  const plans = await plansOf((reads) => reads.undelivered(['noop'], 100));
  const tables = plans.filter((step) => /^(?:SCAN|SEARCH) (?:events|deliveries|subjects) /u.test(step));
  expect(tables.length).toBeGreaterThanOrEqual(3);
  expect(tables.filter((step) => step.startsWith('SCAN '))).toEqual([]);
  expect(plans.filter((step) => /^SCAN (?:own|page)\b/u.test(step)).length).toBeLessThanOrEqual(1);
});
