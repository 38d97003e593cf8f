import { sql } from 'kysely';
import type { Jobs } from '../../jobs.ts';
import type { Connection } from '../sql/connection.ts';
import { rowId, rowOf } from '../../rows/ids.ts';
import { itemPrefix, jobRecord } from '../../rows/jobs/job-record.ts';

/** Reads jobs, and the items of one that failed. */
export function createJobReads({
  query,
}: Connection): Pick<Jobs, 'job' | 'jobs' | 'runningJobs' | 'failedItems'> {
  return {
    async job(id) {
      const row = await query
        .selectFrom('jobs')
        .selectAll()
        .where('id', '=', rowOf('j', id) ?? 0)
        .executeTakeFirst();
      return row === undefined ? null : jobRecord(row);
    },
    async jobs({ limit, after }) {
      let page = query.selectFrom('jobs').selectAll();
      if (after !== undefined) page = page.where('id', '<', rowOf('j', after) ?? 0);
      return (await page.orderBy('id', 'desc').limit(limit).execute()).map(jobRecord);
    },
    async runningJobs() {
      const rows = await query
        .selectFrom('jobs')
        .select('id')
        .where('state', '=', sql.lit('running'))
        .orderBy('id')
        .execute();
      return rows.map(({ id }) => rowId('j', id));
    },
    async failedItems(id, limit) {
      const rows = await query
        .selectFrom('job_items')
        .innerJoin('jobs', 'jobs.id', 'job_items.job_id')
        .select(['job_items.item', 'jobs.action'])
        .where('job_items.job_id', '=', rowOf('j', id) ?? 0)
        .where('job_items.outcome', '=', sql.lit('failed'))
        .orderBy('job_items.item')
        .limit(limit)
        .execute();
      return rows.map(({ item, action }) => rowId(itemPrefix(action), item));
    },
  };
}
