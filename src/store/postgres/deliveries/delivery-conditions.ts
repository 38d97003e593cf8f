/** Filters of deliveries as conditions in SQL. */
import { sql, type RawBuilder } from 'kysely';
import type { DeliveryFilter } from '../../queries.ts';
import { rowOf, type Ids } from '../../shared/ids.ts';
import { hasStatus } from '../sql/dialect.ts';
import { isAnyOf } from '../sql/expressions.ts';

/** The conditions of a filter on deliveries, which are joined to their events and subjects. */
export function deliveryConditions(filter: DeliveryFilter, ids: Ids): RawBuilder<boolean> {
  const { eventId, eventIds, handler, status, subject, source, replay, error, endedUpTo, upTo } = filter;
  const conditions: RawBuilder<boolean>[] = [sql<boolean>`true`];
  const add = (condition: RawBuilder<boolean>): void => {
    conditions.push(condition);
  };
  if (filter.ids !== undefined) {
    const rows = filter.ids.flatMap((id) => rowOf('d', id) ?? []);
    add(isAnyOf('deliveries.id', rows, 'bigint'));
  }
  if (eventId !== undefined) add(sql`deliveries.event_id = ${ids.eventRow(eventId) ?? 0}`);
  if (eventIds !== undefined) {
    const rows = eventIds.flatMap((id) => ids.eventRow(id) ?? []);
    add(isAnyOf('deliveries.event_id', rows, 'bigint'));
  }
  if (handler !== undefined) add(sql`deliveries.handler = ${handler}`);
  if (status !== undefined) add(hasStatus(status));
  if (subject !== undefined)
    add(sql`subjects.family = ${subject.family} and subjects.entity = ${subject.id}`);
  if (source !== undefined) add(sql`subjects.source = ${source}`);
  if (replay !== undefined) add(sql`deliveries.replay_id = ${rowOf('r', replay) ?? -1}`);
  if (error !== undefined) add(hasError(error));
  if (endedUpTo !== undefined) add(sql`deliveries.finished_at <= ${endedUpTo}`);
  if (upTo !== undefined) add(sql`deliveries.id <= ${rowOf('d', upTo) ?? 0}`);
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

/** The row of a failed attempt stays after a success, so the status decides. */
function hasError(fingerprint: string): RawBuilder<boolean> {
  return sql`deliveries.status in ('pending', 'running', 'dead') and deliveries.id in (
    select failures.delivery_id from failure_groups join failures on failures.group_id = failure_groups.id
    where failure_groups.fingerprint = ${fingerprint})`;
}
