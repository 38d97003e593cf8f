/** Reads failed deliveries by handler and kind of error. */
import { sql } from 'kysely';
import type { Failures } from '../../failures.ts';
import type { Queries } from '../../queries.ts';
import type { Connection } from '../sql/connection.ts';
import { failureGroups, MAX_FAILING_COUNTED } from '../../shared/failure-group.ts';

/** Reads failed deliveries by group. Groups are few and counted, so no delivery is read but the samples. */
export function createFailureReads(
  { query }: Connection,
  { deliveries }: Pick<Queries, 'deliveries'>,
): Failures {
  return {
    async failureGroups({ handler }) {
      let groups = query
        .selectFrom('failure_groups')
        .select(['handler', 'fingerprint', 'dead', 'first_at', 'last_at'])
        .select([
          sql<number>`(select count(*) from (select 1 from failures
            join deliveries on deliveries.id = failures.delivery_id
            where failures.group_id = failure_groups.id and failures.dead = 0 and deliveries.finished_at is null
            limit ${sql.lit(MAX_FAILING_COUNTED)}))`.as('failing'),
          sql<number | null>`coalesce(
            (select max(delivery_id) from failures where group_id = failure_groups.id and dead = 1),
            (select max(failures.delivery_id) from failures
              join deliveries on deliveries.id = failures.delivery_id and deliveries.finished_at is null
              where group_id = failure_groups.id and dead = 0))`.as('sample'),
        ]);
      if (handler !== undefined) groups = groups.where('handler', '=', handler);
      const rows = await groups.orderBy('last_at', 'desc').orderBy('id', 'desc').execute();
      return failureGroups(rows, (ids) =>
        deliveries({ ids }, { order: 'newest', limit: Math.max(1, ids.length) }),
      );
    },
  };
}
