/** Reads jobs, and the items of one that failed. */
import { sql } from 'kysely';
import type { JobRecord, Jobs } from '../../jobs.ts';
import { rowId, rowOf, type Ids } from '../ids.ts';
import type { SqlReads } from '../sql/statements.ts';
import { itemPrefix, jobRecord, type JobRow } from './job-record.ts';
import { replayResults, statusCounts } from './replay-results.ts';

export function createJobReads(
  read: SqlReads,
  ids: Ids,
): Pick<Jobs, 'job' | 'jobs' | 'runningJobs' | 'failedItems'> {
  /** What a replay has enqueued goes on after the job was stopped or cancelled, when nobody records results. */
  const withResults = async (row: JobRow): Promise<JobRecord> => {
    const job = jobRecord(row);
    if (job.action !== 'replay' || job.state === 'finished') return job;
    return { ...job, ...replayResults(await read.rows(statusCounts(row.id))) };
  };

  return {
    async job(id) {
      const row = await read.first(sql<JobRow>`select * from jobs where id = ${rowOf('j', id) ?? 0}`);
      return row === undefined ? null : withResults(row);
    },
    async jobs({ limit, after }) {
      const older = after === undefined ? sql`true` : sql`id < ${rowOf('j', after) ?? 0}`;
      const rows = await read.rows(
        sql<JobRow>`select * from jobs where ${older} order by id desc limit ${limit}`,
      );
      return Promise.all(rows.map(withResults));
    },
    async runningJobs() {
      const rows = await read.rows(
        sql<{ id: number }>`select id from jobs where state = 'running' order by id`,
      );
      return rows.map(({ id }) => rowId('j', id));
    },
    async failedItems(id, limit) {
      const rows = await read.rows(
        sql<{ item: number; action: string }>`
          select item, action from job_items join jobs on jobs.id = job_items.job_id
          where job_id = ${rowOf('j', id) ?? 0} and outcome = 'failed' order by item limit ${limit}`,
      );
      return rows.map(({ item, action }) =>
        action === 'replay' ? ids.event(item) : rowId(itemPrefix(action), item),
      );
    },
  };
}
