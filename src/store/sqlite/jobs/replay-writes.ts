/** Stores what a replay enqueues or sends, and its results. */
import type { JobRecord } from '../../jobs.ts';
import type { Replays } from '../../replays.ts';
import { jobRecord, type JobRow } from '../../shared/jobs/job-record.ts';
import { openOf, replayResults, resultColumns } from '../../shared/jobs/replay-results.ts';
import type { EnqueueBatch, ReplayBatch } from '../deliveries/enqueue-batch.ts';
import type { Connection } from '../sql/connection.ts';
import { rowsNow, runNow } from '../sql/statement.ts';
import { findJob } from './find-job.ts';

/** As in `Replays`, with the deliveries of each handler together. Called inside a transaction. */
export type EnqueueReplay = (
  id: string,
  batches: readonly ReplayBatch[],
  options: Parameters<Replays['enqueueReplay']>[2],
) => void;

export function createEnqueueReplay(connection: Connection, enqueueBatch: EnqueueBatch): EnqueueReplay {
  const { database, query, ids } = connection;

  const count = (replayId: number, status: string, events: number): void => {
    const row = query.insertInto('replay_counts').values({ replay_id: replayId, status, deliveries: events });
    const added = row.onConflict((on) =>
      on.columns(['replay_id', 'status']).doUpdateSet((eb) => ({
        deliveries: eb('replay_counts.deliveries', '+', eb.ref('excluded.deliveries')),
      })),
    );
    runNow(database, added);
  };

  return (id, batches, { cursor, now, sent }) => {
    const job = findJob(connection, id);
    if (job.state !== 'running' && sent === undefined) return;
    for (const batch of batches) enqueueBatch(job.id, batch, now);
    const moved = { cursor: ids.eventRow(cursor) ?? 0 };
    runNow(database, query.updateTable('jobs').set(moved).where('id', '=', job.id));
    if (sent === undefined) return;
    const { succeeded, skipped, failed } = sent;
    for (const [status, events] of Object.entries({ succeeded, skipped, dead: failed.length }))
      if (events > 0) count(job.id, status, events);
    for (const event of failed) {
      const item = ids.eventRow(event) ?? 0;
      const row = { job_id: job.id, item, stage: job.stage, outcome: 'failed' };
      runNow(
        database,
        query
          .insertInto('job_items')
          .values(row)
          .onConflict((on) => on.doNothing()),
      );
    }
  };
}

/** Records the results of a replay, as `recordJobResults` in `Jobs`. Called inside a transaction. */
export function recordReplayResults(
  { database, query }: Connection,
  job: JobRow,
): { readonly job: JobRecord; readonly open: number } {
  const counts = query
    .selectFrom('replay_counts')
    .select(['status', 'deliveries'])
    .where('replay_id', '=', job.id);
  const found = replayResults(rowsNow(database, counts));
  const changed = resultColumns(job, found);
  runNow(database, query.updateTable('jobs').set(changed).where('id', '=', job.id));
  return { job: jobRecord({ ...job, ...changed }), open: openOf(found) };
}
