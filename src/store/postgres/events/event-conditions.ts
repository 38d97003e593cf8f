import { sql, type RawBuilder } from 'kysely';
import type { DeliveryStatus, EventFilter, SourceSubject } from '../../queries.ts';
import type { Ids } from '../../rows/ids.ts';
import { arrayOf } from '../sql/expressions.ts';

type Condition = RawBuilder<boolean>;

/**
 * Converts a filter of events to a condition on `events` and, if {@link readsSubjects}, `subjects`. Ids of another
 * store match nothing.
 *
 * @param walked whether few events are looked at: each is checked for a delivery then, whatever its status
 */
export function eventCondition(filter: EventFilter, ids: Ids, walked = false): Condition {
  const all = [classCondition(filter)];
  if (filter.ids !== undefined) {
    const rows = filter.ids.flatMap((id) => ids.eventRow(id) ?? []);
    all.push(sql`events.id = any(${arrayOf(rows, 'bigint')})`);
  }
  if (filter.subject !== undefined) {
    const { family, id } = filter.subject;
    all.push(sql`events.subject_id = any(array(
      select named.id from subjects as named where named.family = ${family} and named.entity = ${id}))`);
  }
  if (filter.source !== undefined) all.push(sql`subjects.source = ${filter.source}`);
  if (filter.flag !== undefined)
    all.push(sql`(events.flags <> '[]' and jsonb_exists(events.flags::jsonb, ${filter.flag}))`);
  if (filter.since !== undefined) all.push(sql`events.received_at >= ${filter.since}`);
  if (filter.until !== undefined) all.push(sql`events.received_at < ${filter.until}`);
  if (filter.upTo !== undefined) all.push(sql`events.id <= ${ids.eventRow(filter.upTo) ?? 0}`);
  if (filter.status !== undefined) all.push(hasDelivery(filter.status, walked));
  if (filter.subjects !== undefined)
    all.push(sql`events.subject_id = any(array(${rowsOfSubjects(filter.subjects)}))`);
  return sql`${sql.join(all, sql` and `)}`;
}

/** Whether the condition reads `subjects`; otherwise the join can be left out. */
export function readsSubjects({ source }: EventFilter): boolean {
  return source !== undefined;
}

/** Selects the row numbers of subjects, by one look-up in their index for each. */
export function rowsOfSubjects(subjects: readonly SourceSubject[]): RawBuilder<{ id: number }> {
  const families = subjects.map(({ subject }) => subject.family);
  const entities = subjects.map(({ subject }) => subject.id);
  const sources = subjects.map(({ source }) => source);
  return sql`
    select named.id
    from unnest(${arrayOf(families, 'text')}, ${arrayOf(entities, 'text')}, ${arrayOf(sources, 'text')})
      as each (family, entity, source)
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

/** The condition that an event is of any of these kinds or wildcards. */
export function hasKind(kinds: readonly string[]): Condition {
  return sql`events.kind like any(${arrayOf(kinds.map(kindPattern), 'text')})`;
}

/**
 * Converts a kind or wildcard to a pattern of LIKE. `*` means one or more characters in a wildcard; `_` and `%` are
 * not special there.
 */
function kindPattern(kind: string): string {
  return kind.replaceAll(/[\\_%]/g, (special) => `\\${special}`).replaceAll(/\*+/g, '_%');
}

/** The condition that an event was not superseded; `flags` is a JSON array of names. */
export const notSuperseded: Condition = sql`events.flags not like '%"superseded"%'`;

/**
 * Checks each event for a succeeded delivery, because most have one; starts from the deliveries of rarer statuses
 * unless the events are walked.
 */
function hasDelivery(status: DeliveryStatus, walked: boolean): Condition {
  if (walked || status === 'succeeded' || status === 'skipped')
    return sql`exists (
      select from deliveries where deliveries.event_id = events.id and deliveries.status = ${status})`;
  return sql`events.id in (select deliveries.event_id from deliveries where ${hasStatus(status)})`;
}

/**
 * The condition that a delivery has a status, worded like the partial indexes: they find dead and unfinished
 * deliveries however many succeeded.
 */
function hasStatus(status: DeliveryStatus): Condition {
  switch (status) {
    case 'dead':
      return sql`deliveries.status = 'dead'`;
    case 'pending':
    case 'running':
      return sql`deliveries.finished_at is null and deliveries.status = ${status}`;
    case 'succeeded':
    case 'skipped':
      return sql`deliveries.status = ${status}`;
  }
}
