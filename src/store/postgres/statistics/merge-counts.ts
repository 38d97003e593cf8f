/** Merges the rows of counts, of which each transaction adds some. */
import { sql, type RawBuilder } from 'kysely';
import type { Transact } from '../database/connections/transaction.ts';
import { mergeFailureChanges } from '../failures/failure-changes.ts';
import { MERGE_LOCK } from '../sql/advisory-locks.ts';

/** Commits of a process after which it merges counts. */
const COMMITS = 512;

/** The maximum number of rows of a table that one transaction merges. */
const MAX_ROWS = 20_000;

/** The tables of counts: what they count by, and what they sum up. */
const tables: readonly (readonly [table: string, by: readonly string[], sums: readonly string[]])[] = [
  ['event_counts', ['kind', 'recognized', 'verdict'], ['events', 'repeats']],
  ['delivery_counts', ['handler', 'status'], ['deliveries']],
  ['replay_counts', ['replay_id', 'status'], ['deliveries']],
  ['quarantine_counts', ['verified', 'reason'], ['held', 'bytes', 'dropped', 'dropped_bytes']],
  ['row_counts', ['name'], ['rows']],
];

/** Runs transactions, and merges the rows of counts that they leave from time to time. */
export function createMergingTransact(transact: Transact): Transact {
  let commits = 0;
  return async (work, options) => {
    const value = await transact(work, options);
    commits += 1;
    if (commits % COMMITS === 0) {
      // What is not merged now is merged later.
      void mergeCounts(transact).catch(() => undefined);
    }
    return value;
  };
}

/** Replaces rows of changes by their sums, unless another process is doing so. The counts stay the same. */
export async function mergeCounts(transact: Transact): Promise<void> {
  await transact(async ({ session }) => {
    const lock = await session.first(
      sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${MERGE_LOCK}, 0) as taken`,
    );
    if (lock?.taken !== true) return;
    for (const [table, by, sums] of tables) await session.run(merge(table, by, sums));
    await mergeFailureChanges(session, MAX_ROWS);
  });
}

function merge(table: string, by: readonly string[], sums: readonly string[]): RawBuilder<unknown> {
  const name = sql.table(table);
  const keys = sql.join(by.map((column) => sql.ref(column)));
  const summed = sums.map((column) => sql`sum(${sql.ref(column)})`);
  const columns = [...by, ...sums, ...(table === 'event_counts' ? ['last_received_at'] : [])];
  const latest = table === 'event_counts' ? [sql`max(last_received_at)`] : [];
  return sql`
    with gone as (
      delete from ${name} where ctid = any(array(select ctid from ${name} limit ${MAX_ROWS})) returning *
    )
    insert into ${name} (${sql.join(columns.map((column) => sql.ref(column)))})
    select ${keys}, ${sql.join([...summed, ...latest])} from gone group by ${keys}`;
}
