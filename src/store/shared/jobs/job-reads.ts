/** Reads jobs, and the items of one that failed. */
import { sql } from 'kysely';
import type { Jobs } from '../../jobs.ts';
import { rowId, rowOf } from '../ids.ts';
import type { SqlReads } from '../sql/statements.ts';
import { itemPrefix, jobRecord, type JobRow } from './job-record.ts';

export function createJobReads(read: SqlReads): Pick<Jobs, 'job' | 'jobs' | 'runningJobs' | 'failedItems'> {
  return {
    async job(id) {
      const row = await read.first(sql<JobRow>`select * from jobs where id = ${rowOf('j', id) ?? 0}`);
      return row === undefined ? null : jobRecord(row);
    },
    async jobs({ limit, after }) {
      const older = after === undefined ? sql`true` : sql`id < ${rowOf('j', after) ?? 0}`;
      const rows = await read.rows(
        sql<JobRow>`select * from jobs where ${older} order by id desc limit ${limit}`,
      );
      return rows.map(jobRecord);
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
      return rows.map(({ item, action }) => rowId(itemPrefix(action), item));
    },
  };
}
