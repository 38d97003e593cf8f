/** Acts on the next items of a running job. */
import { sql } from 'kysely';
import type { JobStep } from '../../jobs.ts';
import type { LaneKey } from '../../shared/deliveries/lane-key.ts';
import { rowId, rowOf } from '../../shared/ids.ts';
import { discardReason, itemPrefix, noJob, type JobRow } from '../../shared/jobs/job-record.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import { discardDeliveries } from '../deliveries/discard-deliveries.ts';
import { lockLanesOf } from '../deliveries/lanes.ts';
import { retryDeliveries } from '../deliveries/retry-deliveries.ts';
import { isAnyOf, unnestOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/** Locks a job until the end of the transaction. Nobody locks a job after lanes, so this waits for no one in turn. */
export async function lockJob(session: Session, id: string): Promise<JobRow> {
  const row = await session.first(
    sql<JobRow>`select * from jobs where id = ${rowOf('j', id) ?? 0} for update`,
  );
  if (row === undefined) throw noJob(id);
  return row;
}

/** Acts on the next items of a running job, as in `Jobs`. Of two processes, the second one finds the cursor moved. */
export async function stepJob(transaction: Transaction, id: string, step: JobStep): Promise<void> {
  const { session } = transaction;
  const job = await lockJob(session, id);
  if (job.state !== 'running' || job.action === 'replay') return;
  const rows = step.items
    .map((item) => rowOf(itemPrefix(job.action), item) ?? 0)
    .filter((row) => row > job.cursor);
  if (rows.length === 0) return;
  const acted = await act(transaction, job, await unchanged(session, job, rows), step);
  // A discarded delivery has its result at once.
  const outcome = job.action === 'discard' ? 'skipped' : null;
  await session.run(sql`
    insert into job_items (job_id, item, stage, outcome)
    select ${job.id}::bigint, item, ${job.stage}::integer, ${outcome}
    from ${unnestOf('acted', acted, { item: ['bigint', (item) => item] })}
    on conflict do nothing`);
  const ended = outcome === null ? 0 : acted.length;
  await session.run(sql`
    update jobs set cursor = ${Math.max(...rows)}, acted = acted + ${acted.length},
      left_alone = left_alone + ${rows.length - acted.length}, stage_acted = stage_acted + ${acted.length},
      stage_ended = stage_ended + ${ended}, skipped = skipped + ${ended}
    where id = ${job.id}`);
}

/** Returns the deliveries that have not ended again since the plan was made, and locks them: so they stay as they are. */
async function unchanged(session: Session, job: JobRow, rows: readonly number[]): Promise<readonly number[]> {
  const { deliveries } = JSON.parse(job.selection) as { readonly deliveries?: { endedUpTo?: number } };
  const upTo = deliveries?.endedUpTo;
  if (upTo === undefined) return rows;
  const items = isAnyOf('id', rows, 'bigint');
  await lockLanesOf(
    session,
    await session.rows(sql<LaneKey>`select handler, lane from deliveries where ${items}`),
  );
  const found = await session.rows(
    sql<{ id: number; endedAt: number | null }>`
      select id, finished_at as "endedAt" from deliveries where ${items} order by id for no key update`,
  );
  const later = new Set(found.flatMap(({ id, endedAt }) => (endedAt !== null && endedAt > upTo ? [id] : [])));
  return rows.filter((row) => !later.has(row));
}

async function act(
  transaction: Transaction,
  job: JobRow,
  rows: readonly number[],
  { now, released }: JobStep,
): Promise<readonly number[]> {
  if (released === true) {
    const found = await transaction.session.rows(
      sql<{ id: number }>`
        select id from quarantine where ${isAnyOf('id', rows, 'bigint')} and status = 'released' order by id`,
    );
    return found.map(({ id }) => id);
  }
  const ids = rows.map((row) => rowId('d', row));
  const done =
    job.action === 'retry'
      ? await retryDeliveries(transaction, ids, now)
      : await discardDeliveries(transaction, ids, { reason: discardReason(job, now), now });
  return done.map((id) => rowOf('d', id) ?? 0);
}
