/** Filters of deliveries as conditions in SQL. */
import { sql } from 'kysely';
import type { DeliveryFilter } from '../../queries.ts';
import { hasError, isOfCompany } from '../events/event-conditions.ts';
import { rowOf, type Ids } from '../ids.ts';
import { allOf, type Condition, type Dialect } from '../sql/dialect.ts';

/** The condition for unfinished deliveries in queries that go by `event_id`, as their index is worded. */
export const unfinishedOfEvent: Condition = sql`deliveries.finished_at is null and deliveries.event_id > 0`;

/** The conditions of a filter on deliveries, which are joined to their events and subjects. */
export function deliveryConditions(filter: DeliveryFilter, ids: Ids, dialect: Dialect): Condition {
  const { eventId, eventIds, handler, status, subject, source, replay, error, upTo } = filter;
  const all: Condition[] = [];
  if (filter.ids !== undefined) {
    const rows = filter.ids.flatMap((id) => rowOf('d', id) ?? []);
    all.push(dialect.isAnyOf('deliveries.id', rows, 'bigint'));
  }
  if (filter.exceptIds !== undefined) {
    const rows = filter.exceptIds.flatMap((id) => rowOf('d', id) ?? []);
    all.push(sql`not (${dialect.isAnyOf('deliveries.id', rows, 'bigint')})`);
  }
  if (eventId !== undefined) all.push(sql`deliveries.event_id = ${ids.eventRow(eventId) ?? 0}`);
  if (eventIds !== undefined) {
    const rows = eventIds.flatMap((id) => ids.eventRow(id) ?? []);
    all.push(dialect.isAnyOf('deliveries.event_id', rows, 'bigint'));
  }
  if (handler !== undefined) all.push(sql`deliveries.handler = ${handler}`);
  if (status !== undefined) all.push(dialect.hasStatus(status));
  if (subject !== undefined)
    all.push(sql`subjects.family = ${subject.family} and subjects.entity = ${subject.id}`);
  if (filter.company !== undefined) all.push(isOfCompany(filter, dialect));
  if (source !== undefined) all.push(sql`subjects.source = ${source}`);
  if (replay !== undefined) all.push(sql`deliveries.replay_id = ${rowOf('j', replay) ?? -1}`);
  if (error !== undefined) all.push(hasError(error));
  all.push(...endedWithin(filter));
  if (upTo !== undefined) all.push(sql`deliveries.id <= ${rowOf('d', upTo) ?? 0}`);
  return allOf(all);
}

/** The condition for deliveries that have not failed again since a plan was made; none where nothing bounds it. */
export function endedWithin({ failedUpTo, endedUpTo }: DeliveryFilter): readonly Condition[] {
  if (failedUpTo !== undefined)
    return [
      sql`not exists (
        select 1 from attempts where attempts.delivery_id = deliveries.id and attempts.id > ${failedUpTo})`,
    ];
  return endedUpTo === undefined ? [] : [sql`deliveries.finished_at <= ${endedUpTo}`];
}
