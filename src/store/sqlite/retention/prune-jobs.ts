/** Prunes jobs that have ended. */
import { sql } from 'kysely';
import type { Connection } from '../sql/connection.ts';
import { runNow } from '../sql/statement.ts';

/**
 * Returns `pruneJobs` of the store's interface. Called inside a transaction. A stopped job goes, too: what it
 * selected is as old, and a new plan can select it again.
 */
export function createPruneJobs({ database, query }: Connection): (before: number, limit: number) => number {
  return (before, limit) => {
    const old = query
      .selectFrom('jobs')
      .select('id')
      .where('state', '<>', sql.lit('running'))
      .where('ended_at', '<', before);
    const items = query
      .selectFrom('job_items')
      .select(['job_id', 'item'])
      .where('job_id', 'in', old)
      .limit(limit);
    const removed = runNow(
      database,
      query.deleteFrom('job_items').where(sql<boolean>`(job_id, item) in ${items}`),
    ).changes;
    if (removed >= limit) return removed;
    // Without items, so that no item outlives its job.
    const empty = old
      .where(sql<boolean>`not exists (select 1 from job_items where job_id = jobs.id)`)
      .limit(limit - removed);
    return removed + runNow(database, query.deleteFrom('jobs').where('id', 'in', empty)).changes;
  };
}
