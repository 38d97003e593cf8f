/** Reads failed deliveries by handler and kind of error. */
import { sql } from 'kysely';
import type { Failures } from '../../failures.ts';
import type { Queries } from '../../queries.ts';
import type { SharedConnection } from '../sql/connection.ts';
import { failureGroups, MAX_FAILING_COUNTED, type FailureGroupRow } from './failure-group.ts';

/** Reads failed deliveries by group. Groups are few and counted, so no delivery is read but the samples. */
export function createFailureReads(
  { read, dialect }: SharedConnection,
  { deliveries }: Pick<Queries, 'deliveries'>,
): Failures {
  return {
    async failureGroups({ handler }) {
      const rows = await read.rows(
        sql<FailureGroupRow>`
          select handler, fingerprint, dead, first_at, last_at,
            (select count(*) from (
              select 1 from failures join deliveries on deliveries.id = failures.delivery_id
              where failures.group_id = failure_groups.id and failures.dead = 0 and deliveries.finished_at is null
              limit ${sql.lit(MAX_FAILING_COUNTED)}
            ) as failing) as failing,
            coalesce(
              (select max(delivery_id) from failures where group_id = failure_groups.id and dead = 1),
              (select failures.delivery_id from failures
                join deliveries on deliveries.id = failures.delivery_id and deliveries.finished_at is null
                where group_id = failure_groups.id and failures.dead = 0
                order by failures.delivery_id desc limit 1)
            ) as sample
          from ${dialect.failureGroups}
          where ${handler === undefined ? sql`true` : sql`handler = ${handler}`}
          order by last_at desc, id desc`,
      );
      return failureGroups(rows, (ids) =>
        deliveries({ ids }, { order: 'newest', limit: Math.max(1, ids.length) }),
      );
    },
  };
}
