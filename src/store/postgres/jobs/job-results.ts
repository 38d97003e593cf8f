/** Records how the items of a job have ended. */
import { sql, type RawBuilder } from 'kysely';
import type { JobRecord } from '../../jobs.ts';
import { jobRecord, type ItemOutcome, type JobRow } from '../../shared/jobs/job-record.ts';
import type { Session } from '../sql/session.ts';
import { recordReplayResults } from './replay-writes.ts';
import { lockJob } from './step-job.ts';

/** A retried delivery has failed when its first attempt has, although its handler's policy tries it again. */
const deliveryOutcome = sql`
  left join deliveries on deliveries.id = job_items.item
  cross join lateral (select case
    when deliveries.id is null or deliveries.status = 'skipped' then 'skipped'
    when deliveries.status = 'succeeded' then 'succeeded'
    when deliveries.status = 'dead' then 'failed'
    when deliveries.status = 'pending' and deliveries.attempts > deliveries.cut_short then 'failed'
  end as outcome) as found`;

/** A released entry ends with the deliveries of its event. */
const entryOutcome = sql`
  left join quarantine on quarantine.id = job_items.item
  cross join lateral (select case
    when quarantine.event_id is null then 'skipped'
    when exists (select from deliveries where event_id = quarantine.event_id
      and (status = 'dead' or (status = 'pending' and attempts > cut_short))) then 'failed'
    when not exists (select from deliveries where event_id = quarantine.event_id
      and finished_at is null) then 'succeeded'
  end as outcome) as found`;

interface OutcomeCount {
  readonly outcome: ItemOutcome | null;
  readonly isOfStage: boolean;
  readonly items: number;
}

/** Records the results of items that have ended, as in `Jobs`. */
export async function recordJobResults(
  session: Session,
  id: string,
): Promise<{ readonly job: JobRecord; readonly open: number }> {
  const job = await lockJob(session, id);
  if (job.action === 'replay') return recordReplayResults(session, job);
  const counts = await writeOutcomes(session, job, job.action === 'release' ? entryOutcome : deliveryOutcome);
  const sum = (of: (count: OutcomeCount) => boolean) =>
    counts.filter(of).reduce((total, { items }) => total + items, 0);
  const open = sum(({ outcome }) => outcome === null);
  const ended = sum(({ outcome }) => outcome !== null);
  if (ended === 0) return { job: jobRecord(job), open };
  const changed = await session.first(
    sql<JobRow>`
      update jobs set
        succeeded = succeeded + ${sum(({ outcome }) => outcome === 'succeeded')},
        failed = failed + ${sum(({ outcome }) => outcome === 'failed')},
        skipped = skipped + ${sum(({ outcome }) => outcome === 'skipped')},
        stage_ended = stage_ended + ${sum(({ outcome, isOfStage }) => isOfStage && outcome !== null)},
        stage_failed = stage_failed + ${sum(({ outcome, isOfStage }) => isOfStage && outcome === 'failed')}
      where id = ${job.id} returning *`,
  );
  return { job: jobRecord(changed ?? job), open };
}

/** Writes the outcomes of open items, and counts them, in one statement. */
function writeOutcomes(
  session: Session,
  job: JobRow,
  outcome: RawBuilder<unknown>,
): Promise<readonly OutcomeCount[]> {
  return session.rows(
    sql<OutcomeCount>`
      with open as materialized (
        select job_items.item, job_items.stage, found.outcome from job_items ${outcome}
        where job_items.job_id = ${job.id} and job_items.outcome is null
      ), written as (
        update job_items set outcome = open.outcome from open
        where job_items.job_id = ${job.id} and job_items.item = open.item and open.outcome is not null
      )
      select outcome, stage = ${job.stage} as "isOfStage", count(*) as items from open group by 1, 2`,
  );
}
