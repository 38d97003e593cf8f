/** Filters of deliveries as conditions in SQL. */
import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely';
import type { DeliveryFilter } from '../../queries.ts';
import type { DatabaseSchema } from '../../shared/tables.ts';
import { anyOf, hasStatus } from '../sql/expressions.ts';
import { rowOf, type Ids } from '../../shared/ids.ts';

/** The conditions of a filter on deliveries, which are joined to their events and subjects. */
export function deliveryConditions(
  eb: ExpressionBuilder<DatabaseSchema, 'deliveries' | 'events' | 'subjects'>,
  filter: DeliveryFilter,
  ids: Ids,
): readonly Expression<SqlBool>[] {
  const { eventId, eventIds, handler, status, subject, source, replay, error, endedUpTo, upTo } = filter;
  return [
    ...(filter.ids === undefined
      ? []
      : [eb('deliveries.id', 'in', anyOf(filter.ids.flatMap((id) => rowOf('d', id) ?? [])))]),
    ...(eventId === undefined ? [] : [eb('deliveries.event_id', '=', ids.eventRow(eventId) ?? 0)]),
    ...(eventIds === undefined
      ? []
      : [eb('deliveries.event_id', 'in', anyOf(eventIds.flatMap((id) => ids.eventRow(id) ?? [])))]),
    ...(handler === undefined ? [] : [eb('deliveries.handler', '=', handler)]),
    ...(status === undefined ? [] : [hasStatus(eb, status)]),
    ...(subject === undefined
      ? []
      : [eb('subjects.family', '=', subject.family), eb('subjects.entity', '=', subject.id)]),
    ...(source === undefined ? [] : [eb('subjects.source', '=', source)]),
    ...(replay === undefined ? [] : [eb('deliveries.replay_id', '=', rowOf('r', replay) ?? -1)]),
    ...(error === undefined ? [] : [hasError(error)]),
    ...(endedUpTo === undefined ? [] : [eb('deliveries.finished_at', '<=', endedUpTo)]),
    ...(upTo === undefined ? [] : [eb('deliveries.id', '<=', rowOf('d', upTo) ?? 0)]),
  ];
}

/** The row of a failed attempt stays after a success, so the status decides. */
function hasError(fingerprint: string): Expression<SqlBool> {
  return sql<SqlBool>`deliveries.status in ('pending', 'running', 'dead') and deliveries.id in (
    select failures.delivery_id from failure_groups join failures on failures.group_id = failure_groups.id
    where failure_groups.fingerprint = ${fingerprint})`;
}
