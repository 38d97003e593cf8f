import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely';
import type { DeliveryStatus } from '../../queries.ts';
import type { DatabaseSchema } from '../file/database-schema.ts';

/**
 * That a delivery is in this status, in the words of the partial indexes: what
 * is dead or unfinished is found at once, however many have succeeded.
 */
export function ofStatus(
  eb: ExpressionBuilder<DatabaseSchema, 'deliveries'>,
  status: DeliveryStatus,
): Expression<SqlBool> {
  switch (status) {
    case 'dead':
      return eb('deliveries.status', '=', sql.lit('dead'));
    case 'pending':
    case 'running':
      return eb.and([eb('deliveries.finished_at', 'is', null), eb('deliveries.status', '=', status)]);
    case 'succeeded':
    case 'skipped':
      return eb('deliveries.status', '=', status);
  }
}
