import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from 'vitest';
import { manualClock } from '../../testing/manual-clock.ts';
import { createConnection } from './sql/connection.ts';
import { migrate } from './file/migrate.ts';
import { createWriteOperations } from './commit/write-operations.ts';

/** Returns every statement that the write operations prepare, with its plan. */
function preparedStatements() {
  const database = new BetterSqlite3(':memory:');
  migrate(database);
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
  createWriteOperations(createConnection(recording, 'abcdef', manualClock()), {
    maxQuarantineBytes: 1_000_000,
  });
  const plan = (text: string) => {
    // The values of parameters do not affect these plans.
    const positional = [...text.matchAll(/\?/g)].map(() => null);
    const steps = database.prepare<unknown[], { detail: string }>(`explain query plan ${text}`);
    return steps.all(...positional).map(({ detail }) => detail);
  };
  return texts.map((text) => ({ text, plan: plan(text) }));
}

/** Statements that scan: at the start of a process, and when the clock went back. */
const RARE = [
  // At the start of a process: a row for each restore.
  /^select .* from "former_store_ids"/,
  /^update "deliveries" set "due_at" = \?, "asked_at" = \? where "head" = 1/,
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
  // The next due time of a replay without due deliveries.
  expect(sorting.map(({ text }) => /order by .*$/.exec(text)?.[0])).toEqual(['order by "due_at" limit 1']);
});
