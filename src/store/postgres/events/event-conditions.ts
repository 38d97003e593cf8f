/** Filters of events as conditions in SQL. */
import { sql, type RawBuilder } from 'kysely';
import type { DeliveryStatus, EventFilter, SourceSubject } from '../../queries.ts';
import type { Ids } from '../../shared/ids.ts';
import { hasKind, hasStatus } from '../sql/dialect.ts';
import { isAnyOf, unnestOf } from '../sql/expressions.ts';

type Condition = RawBuilder<boolean>;

/**
 * How a statement comes from a status to events: it checks each event that it walks for a delivery; or it starts from
 * the deliveries, which are few; or the planner decides.
 */
export type Way = 'walked' | 'few' | 'any';

/** Converts a filter of events to a condition on `events`. Ids of another store match nothing. */
export function eventCondition(filter: EventFilter, ids: Ids, way: Way = 'any'): Condition {
  const all = [classCondition(filter)];
  if (filter.ids !== undefined) {
    const rows = filter.ids.flatMap((id) => ids.eventRow(id) ?? []);
    all.push(isAnyOf('events.id', rows, 'bigint'));
  }
  if (filter.subject !== undefined) {
    const { family, id } = filter.subject;
    all.push(sql`events.subject_id = any(array(
      select named.id from subjects as named where named.family = ${family} and named.entity = ${id}))`);
  }
  // A query of its own, so that no plan reads all subjects for it.
  if (filter.source !== undefined)
    all.push(sql`(select source from subjects where subjects.id = events.subject_id) = ${filter.source}`);
  if (filter.flag !== undefined)
    all.push(sql`(events.flags <> '[]' and jsonb_exists(events.flags::jsonb, ${filter.flag}))`);
  if (filter.since !== undefined) all.push(sql`events.received_at >= ${filter.since}`);
  if (filter.until !== undefined) all.push(sql`events.received_at < ${filter.until}`);
  if (filter.upTo !== undefined) all.push(sql`events.id <= ${ids.eventRow(filter.upTo) ?? 0}`);
  if (filter.status !== undefined) all.push(hasDelivery(filter.status, way));
  if (filter.subjects !== undefined)
    all.push(sql`events.subject_id = any(array(${rowsOfSubjects(filter.subjects)}))`);
  return sql`${sql.join(all, sql` and `)}`;
}

/** Selects the row numbers of subjects, by one look-up in their index for each. */
export function rowsOfSubjects(subjects: readonly SourceSubject[]): RawBuilder<{ id: number }> {
  return sql`
    select named.id
    from ${unnestOf('each', subjects, {
      family: ['text', ({ subject }) => subject.family],
      entity: ['text', ({ subject }) => subject.id],
      source: ['text', ({ source }) => source],
    })}
    join subjects as named
      on named.family = each.family and named.entity = each.entity and named.source = each.source`;
}

/** The condition on kind and verdict alone, for any table `events` with these columns. */
export function classCondition({ kinds, verdict }: EventFilter): Condition {
  const all: Condition[] = [sql`true`];
  if (kinds !== undefined) all.push(hasKind(kinds));
  if (verdict !== undefined) all.push(sql`events.verdict = ${verdict}`);
  return sql`${sql.join(all, sql` and `)}`;
}

/** The condition that an event was not superseded; `flags` is a JSON array of names. */
export const notSuperseded: Condition = sql`events.flags not like '%"superseded"%'`;

function hasDelivery(status: DeliveryStatus, way: Way): Condition {
  // Not `exists`, which a plan may turn into reading all deliveries.
  if (way === 'walked')
    return sql`(
      select true from deliveries where deliveries.event_id = events.id and deliveries.status = ${status} limit 1) is true`;
  const found = sql`select event_id from deliveries where ${hasStatus(status)}`;
  if (way === 'few') return sql`events.id = any(array(${found}))`;
  if (status !== 'pending') return sql`events.id in (${found})`;
  // Most wait for an event among the newest: the bounds skip all events before them.
  const first = sql`(${found} order by event_id limit 1)`;
  const last = sql`(${found} order by event_id desc limit 1)`;
  return sql`events.id in (${found}) and events.id >= ${first} and events.id <= ${last}`;
}
