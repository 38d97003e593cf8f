/** Creates, changes and prunes jobs. */
import { sql } from 'kysely';
import type { JobChange, JobRecord, Jobs, NewJob } from '../../jobs.ts';
import { rowOf } from '../../shared/ids.ts';
import { FIRST_STAGE, jobRecord, noJob, type JobRow } from '../../shared/jobs/job-record.ts';
import type { Connection } from '../sql/connection.ts';
import { isAnyOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { recordJobResults } from './job-results.ts';
import { stepJob } from './step-job.ts';

export function createJobWrites({
  transact,
  transactLanes,
}: Connection): Pick<Jobs, 'createJob' | 'stepJob' | 'recordJobResults' | 'changeJob' | 'pruneJobs'> {
  return {
    createJob: (job, now) => transact(({ session }) => createJob(session, job, now)),
    stepJob: (id, step) => transactLanes((transaction) => stepJob(transaction, id, step)),
    recordJobResults: (id) => transact(({ session }) => recordJobResults(session, id)),
    changeJob: (id, change) => transact(({ session }) => changeJob(session, id, change)),
    pruneJobs: (before, limit) => transact(({ session }) => pruneJobs(session, before, limit)),
  };
}

async function createJob(session: Session, job: NewJob, now: number): Promise<JobRecord> {
  const ofPlan = sql<JobRow>`select * from jobs where plan = ${job.plan}`;
  const known = await session.first(ofPlan);
  if (known !== undefined) return jobRecord(known);
  // Another process may start the plan meanwhile: this waits for it, and takes its job.
  const created = await session.first(
    sql<JobRow>`
      insert into jobs (
        plan, action, selection, planned, staged, rate, stop_at, reason, requested_by, created_at, state, stage_size
      ) values (
        ${job.plan}, ${job.action}, ${JSON.stringify(job.selection)}, ${job.planned},
        ${job.staged ? 1 : 0}, ${job.rate}, ${job.stopAt}, ${job.reason}, ${job.requestedBy}, ${now}, 'running',
        ${job.staged ? FIRST_STAGE : null}
      )
      on conflict (plan) do nothing returning *`,
  );
  const row = created ?? (await session.first(ofPlan));
  if (row === undefined) throw noJob(`of plan ${job.plan}`);
  return jobRecord(row);
}

async function changeJob(
  session: Session,
  id: string,
  { from, to, ending, now, stageSize, ofStage }: JobChange,
): Promise<boolean> {
  const row = rowOf('j', id) ?? 0;
  const inStage = ofStage === undefined ? sql`true` : sql`stage = ${ofStage}`;
  const newStage =
    stageSize === undefined
      ? sql``
      : sql`, stage = stage + 1, stage_size = ${stageSize}, stage_acted = 0, stage_ended = 0, stage_failed = 0`;
  const changed = await session.run(sql`
    update jobs set state = ${to}, message = ${ending && JSON.stringify(ending)}, ended_at = ${to === 'running' ? null : now} ${newStage}
    where id = ${row} and ${isAnyOf('state', from, 'text')} and ${inStage}`);
  if (changed > 0) return true;
  if ((await session.first(sql`select from jobs where id = ${row}`)) === undefined) throw noJob(id);
  return false;
}

/**
 * Removes jobs that ended before a time. A stopped job goes, too: what it selected is as old, and a new plan can select
 * it again. The lock keeps a job from being resumed meanwhile.
 */
async function pruneJobs(session: Session, before: number, limit: number): Promise<number> {
  const old = await session.rows(
    sql<{ id: number }>`
      select id from jobs where state <> 'running' and ended_at < ${before} order by id limit ${limit} for update`,
  );
  const ids = old.map(({ id }) => id);
  const items = await session.run(sql`
    delete from job_items where (job_id, item) in (
      select job_id, item from job_items where ${isAnyOf('job_id', ids, 'bigint')} order by job_id, item limit ${limit}
    )`);
  if (items >= limit) return items;
  // Without items, so that no item outlives its job.
  const jobs = await session.run(sql`
    delete from jobs where id in (
      select id from jobs as empty where ${isAnyOf('id', ids, 'bigint')} order by id limit ${limit - items}
    )`);
  return items + jobs;
}
