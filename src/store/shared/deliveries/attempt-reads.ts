/** Reads attempts that ended without success. */
import { sql } from 'kysely';
import type { Queries } from '../../queries.ts';
import { rowOf } from '../ids.ts';
import type { SharedConnection } from '../sql/connection.ts';
import { attemptRecord, type AttemptRow } from './ended-attempt.ts';

/** Reads the attempts of deliveries that did not succeed, oldest first. */
export function createAttemptReads({ read, dialect }: SharedConnection): Pick<Queries, 'attempts'> {
  return {
    async attempts(deliveryIds) {
      const ids = deliveryIds.flatMap((id) => rowOf('d', id) ?? []);
      const rows = await read.rows(
        sql<AttemptRow>`
          select delivery_id, attempt, outcome, ended_at, duration_ms, due_at, error from attempts
          where ${dialect.isAnyOf('delivery_id', ids, 'bigint')} order by id`,
      );
      return rows.map(attemptRecord);
    },
  };
}
