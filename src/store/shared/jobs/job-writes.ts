/** Creates, changes and prunes jobs, and records the results of their items. */
import { sql, type RawBuilder } from 'kysely';
import type { ItemOutcome, JobChange, JobRecord, NewJob } from '../../jobs.ts';
import { rowOf } from '../ids.ts';
import type { SharedConnection } from '../sql/connection.ts';
import type { Dialect } from '../sql/dialect.ts';
import { first, rows, run, type Write } from '../sql/statements.ts';
import {
  FIRST_STAGE,
  jobRecord,
  noJob,
  openOf,
  replayResults,
  resultColumns,
  selectionText,
  statusCounts,
  type JobRow,
} from './job-record.ts';

/** The job, and how many of its items have no result yet. */
export interface RecordedResults {
  readonly job: JobRecord;
  readonly open: number;
}

/** The results of open items. A retried delivery has failed when its first attempt has, although it is tried again. */
const deliveryOutcomes = sql`
  select job_items.job_id, job_items.item as ended, case
    when deliveries.id is null or deliveries.status = 'skipped' then 'skipped'
    when deliveries.status = 'succeeded' then 'succeeded'
    when deliveries.status = 'dead' then 'failed'
    when deliveries.status = 'pending' and deliveries.attempts > deliveries.cut_short then 'failed'
  end as result
  from job_items left join deliveries on deliveries.id = job_items.item`;

/** What became an event ends with its deliveries. */
const outcomesOf = (event: RawBuilder<unknown>, idle: ItemOutcome) => sql`
  select job_items.job_id, job_items.item as ended, case
    when ${event} is null then 'skipped'
    when exists (select 1 from deliveries where event_id = ${event}
      and (status = 'dead' or (status = 'pending' and attempts > cut_short))) then 'failed'
    when not exists (select 1 from deliveries where event_id = ${event} and finished_at is null) then case
      when exists (select 1 from deliveries where event_id = ${event}
        and (status = 'succeeded' or attempts > 0)) then 'succeeded'
      else ${sql.lit(idle)} end
  end as result`;

const outcomes: Readonly<Record<string, RawBuilder<unknown>>> = {
  release: sql`${outcomesOf(sql`quarantine.event_id`, 'skipped')}
    from job_items left join quarantine on quarantine.id = job_items.item`,
  repair: sql`${outcomesOf(sql`job_items.item`, 'succeeded')} from job_items`,
};

/**
 * Reads a job that a write changes, and locks it until the end of the transaction. Nobody locks a job after lanes, so
 * this waits for no one in turn.
 *
 * @throws PortariaError `not-found`
 */
export function* lockJob({ forUpdate }: Dialect, id: string): Write<JobRow> {
  const row = yield* first(sql<JobRow>`select * from jobs where id = ${rowOf('j', id) ?? 0} ${forUpdate}`);
  if (row === undefined) throw noJob(id);
  return row;
}

export function createJobWrites({ dialect }: SharedConnection) {
  return {
    *createJob(job: NewJob, now: number): Write<JobRecord> {
      const known = yield* first(sql<JobRow>`select * from jobs where plan = ${job.plan}`);
      if (known !== undefined) return jobRecord(known);
      // Another process may start the plan meanwhile: this waits for it, collides, and runs again, which finds its job.
      const created = yield* first(
        sql<JobRow>`
          insert into jobs (
            plan, action, selection, planned, staged, rate, stop_at, reason, requested_by, created_at, state, stage_size
          ) values (
            ${job.plan}, ${job.action}, ${selectionText(job.selection)}, ${job.planned},
            ${job.staged ? 1 : 0}, ${job.rate}, ${job.stopAt}, ${job.reason}, ${job.requestedBy}, ${now}, 'running',
            ${job.staged ? FIRST_STAGE : null}
          ) returning *`,
      );
      if (created === undefined) throw noJob(`of plan ${job.plan}`);
      return jobRecord(created);
    },

    *recordJobResults(id: string): Write<RecordedResults> {
      const job = yield* lockJob(dialect, id);
      if (job.action === 'replay') return yield* recordReplay(job);
      return yield* recordItems(job, outcomes[job.action] ?? deliveryOutcomes);
    },

    *changeJob(id: string, { from, to, ending, now, stageSize, ofStage }: JobChange): Write<boolean> {
      const job = yield* lockJob(dialect, id);
      if (!from.some((state) => state === job.state) || job.stage !== (ofStage ?? job.stage)) return false;
      const newStage =
        stageSize === undefined
          ? sql``
          : sql`, stage = stage + 1, stage_size = ${stageSize}, stage_acted = 0, stage_ended = 0, stage_failed = 0`;
      yield* run(sql`
        update jobs set state = ${to}, message = ${ending && JSON.stringify(ending)},
          ended_at = ${to === 'running' ? null : now} ${newStage}
        where id = ${job.id}`);
      return true;
    },

    /**
     * Removes jobs that ended before a time. A stopped job goes, too: what it selected is as old, and a new plan can
     * select it again. The lock keeps a job from being resumed meanwhile.
     */
    *pruneJobs(before: number, limit: number): Write<number> {
      const old = yield* rows(
        sql<{ id: number }>`
          select id from jobs where state <> 'running' and ended_at < ${before}
          order by id limit ${limit} ${dialect.forUpdate}`,
      );
      const ids = old.map(({ id }) => id);
      const items = yield* run(sql`
        delete from job_items where (job_id, item) in (
          select job_id, item from job_items where ${dialect.isAnyOf('job_id', ids, 'bigint')}
          order by job_id, item limit ${limit}
        )`);
      if (items >= limit) return items;
      // Without items, so that no item outlives its job.
      const empty = ids.slice(0, limit - items);
      return items + (yield* run(sql`delete from jobs where ${dialect.isAnyOf('id', empty, 'bigint')}`));
    },
  };
}

/** Writes the outcomes of open items that have ended, and adds them up. */
function* recordItems(job: JobRow, outcomes: RawBuilder<unknown>): Write<RecordedResults> {
  const ended = yield* rows(
    sql<{ stage: number; outcome: ItemOutcome }>`
      update job_items set outcome = found.result
      from (${outcomes} where job_items.job_id = ${job.id} and job_items.outcome is null) as found
      where job_items.job_id = found.job_id and job_items.item = found.ended and found.result is not null
      returning stage, outcome`,
  );
  if (ended.length === 0) return { job: jobRecord(job), open: openOf(job) };
  const ofStage = ended.filter(({ stage }) => stage === job.stage);
  const changed = yield* first(
    sql<JobRow>`
      update jobs set
        succeeded = succeeded + ${countOf(ended, 'succeeded')}, failed = failed + ${countOf(ended, 'failed')},
        skipped = skipped + ${countOf(ended, 'skipped')}, stage_ended = stage_ended + ${ofStage.length},
        stage_failed = stage_failed + ${countOf(ofStage, 'failed')}
      where id = ${job.id} returning *`,
  );
  return { job: jobRecord(changed ?? job), open: openOf(changed ?? job) };
}

function countOf(items: readonly { readonly outcome: ItemOutcome }[], wanted: ItemOutcome): number {
  return items.filter(({ outcome }) => outcome === wanted).length;
}

/** A replay has no items: the counts of its deliveries are its results. */
function* recordReplay(job: JobRow): Write<RecordedResults> {
  const found = replayResults(yield* rows(statusCounts(job.id)));
  const changed = resultColumns(job, found);
  yield* run(sql`
    update jobs set acted = ${changed.acted}, succeeded = ${changed.succeeded}, failed = ${changed.failed},
      skipped = ${changed.skipped}, stage_acted = ${changed.stage_acted}, stage_ended = ${changed.stage_ended},
      stage_failed = ${changed.stage_failed}
    where id = ${job.id}`);
  return { job: jobRecord({ ...job, ...changed }), open: openOf(found) };
}
