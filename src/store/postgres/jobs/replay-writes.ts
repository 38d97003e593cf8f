/** Stores what a replay enqueues or sends, and its results. */
import { sql } from 'kysely';
import type { JobRecord } from '../../jobs.ts';
import type { Replays, SentEvents } from '../../replays.ts';
import type { Ids } from '../../shared/ids.ts';
import { jobRecord, type JobRow } from '../../shared/jobs/job-record.ts';
import { openOf, replayResults, resultColumns, type StatusCount } from '../../shared/jobs/replay-results.ts';
import { replayGroups } from '../../shared/replays/replay-groups.ts';
import { keepContents } from '../retention/content-lock.ts';
import type { Connection } from '../sql/connection.ts';
import { unnestOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { enqueueEvents } from './enqueue-events.ts';
import { lockJob } from './step-job.ts';

export function createEnqueueReplay({ transactLanes, ids }: Connection): Pick<Replays, 'enqueueReplay'> {
  return {
    enqueueReplay: (id, deliveries, { cursor, now, sent }) =>
      transactLanes(async (transaction) => {
        const { session } = transaction;
        // Before the job: an erasure locks in this order.
        await keepContents(session);
        const job = await lockJob(session, id);
        if (job.state !== 'running' && sent === undefined) return;
        const groups = replayGroups(deliveries);
        await enqueueEvents(transaction, { replayId: job.id, groups, now, ids });
        await session.run(sql`update jobs set cursor = ${ids.eventRow(cursor) ?? 0} where id = ${job.id}`);
        if (sent !== undefined) await recordSent(session, job, sent, ids);
      }),
  };
}

/** Events that a replay to a URL has ended count like deliveries. */
async function recordSent(
  session: Session,
  { id, stage }: JobRow,
  { succeeded, skipped, failed }: SentEvents,
  ids: Ids,
): Promise<void> {
  for (const [status, events] of Object.entries({ succeeded, skipped, dead: failed.length }))
    if (events > 0)
      await session.run(sql`
        insert into replay_counts (replay_id, status, deliveries) values (${id}, ${status}, ${events})`);
  await session.run(sql`
    insert into job_items (job_id, item, stage, outcome)
    select ${id}::bigint, item, ${stage}::integer, 'failed'
    from ${unnestOf('failed', failed, { item: ['bigint', (event) => ids.eventRow(event) ?? 0] })}
    on conflict do nothing`);
}

/** Records the results of a replay, whose job is locked, as `recordJobResults` in `Jobs`. */
export async function recordReplayResults(
  session: Session,
  job: JobRow,
): Promise<{ readonly job: JobRecord; readonly open: number }> {
  const counts = await session.rows(
    sql<StatusCount>`
      select status, sum(deliveries) as deliveries from replay_counts where replay_id = ${job.id} group by status`,
  );
  const found = replayResults(counts);
  const changed = resultColumns(job, found);
  await session.run(sql`
    update jobs set acted = ${changed.acted}, succeeded = ${changed.succeeded}, failed = ${changed.failed},
      skipped = ${changed.skipped}, stage_acted = ${changed.stage_acted}, stage_ended = ${changed.stage_ended},
      stage_failed = ${changed.stage_failed}
    where id = ${job.id}`);
  return { job: jobRecord({ ...job, ...changed }), open: openOf(found) };
}
