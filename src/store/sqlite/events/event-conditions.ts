/** Filters of events as conditions in SQL. */
import {
  expressionBuilder,
  sql,
  type Expression,
  type ExpressionBuilder,
  type RawBuilder,
  type SqlBool,
} from 'kysely';
import type { DeliveryStatus, EventFilter, SourceSubject } from '../../queries.ts';
import type { DatabaseSchema } from '../../shared/tables.ts';
import { anyOf, hasStatus, kindGlob } from '../sql/expressions.ts';
import type { Ids } from '../../shared/ids.ts';

/** The tables that a filter of events reads. */
type Tables = ExpressionBuilder<DatabaseSchema, 'events' | 'subjects'>;

/**
 * Converts a filter of events to SQL conditions. Ids of another store match nothing.
 *
 * @param walked whether few events are looked at: each is checked for a delivery then, whatever its status
 */
export function eventConditions(filter: EventFilter, ids: Ids, walked = false): Expression<SqlBool>[] {
  const eb = expressionBuilder<DatabaseSchema, 'events' | 'subjects'>();
  const all = classConditions(filter);
  if (filter.ids !== undefined) {
    all.push(eb('events.id', 'in', anyOf(filter.ids.flatMap((id) => ids.eventRow(id) ?? []))));
  }
  if (filter.subject !== undefined) {
    all.push(
      eb('subjects.family', '=', filter.subject.family),
      eb('subjects.entity', '=', filter.subject.id),
    );
  }
  if (filter.source !== undefined) all.push(eb('subjects.source', '=', filter.source));
  if (filter.flag !== undefined) {
    all.push(sql<SqlBool>`${filter.flag} in (select value from json_each(events.flags))`);
  }
  if (filter.since !== undefined) all.push(eb('events.received_at', '>=', filter.since));
  if (filter.until !== undefined) all.push(eb('events.received_at', '<', filter.until));
  if (filter.upTo !== undefined) all.push(eb('events.id', '<=', ids.eventRow(filter.upTo) ?? 0));
  if (filter.status !== undefined) all.push(hasDelivery(eb, filter.status, walked));
  if (filter.subjects !== undefined) all.push(eb('events.subject_id', 'in', rowsOfSubjects(filter.subjects)));
  return all;
}

/** The right side of `in` for the row numbers of subjects, found by their index. */
export function rowsOfSubjects(subjects: readonly SourceSubject[]): RawBuilder<number> {
  const names = subjects.map(({ source, subject }) => [subject.family, subject.id, source]);
  return sql<number>`(
    select named.id from json_each(${JSON.stringify(names)}) as each
    join subjects as named on named.family = each.value ->> 0
      and named.entity = each.value ->> 1 and named.source = each.value ->> 2)`;
}

/** The conditions on kind and verdict alone, for any table `events` with these columns. */
export function classConditions({ kinds, verdict }: EventFilter): Expression<SqlBool>[] {
  const eb = expressionBuilder<{ events: Pick<DatabaseSchema['events'], 'kind' | 'verdict'> }, 'events'>();
  const all: Expression<SqlBool>[] = [];
  if (kinds !== undefined) all.push(eb.or(kinds.map((kind) => eb('events.kind', sql`glob`, kindGlob(kind)))));
  if (verdict !== undefined) all.push(eb('events.verdict', '=', verdict));
  return all;
}

/** Whether the conditions read `subjects`; otherwise the join can be left out. */
export function readsSubjects({ subject, source }: EventFilter): boolean {
  return subject !== undefined || source !== undefined;
}

/**
 * Checks each event for a succeeded delivery, because most have one; starts from the deliveries of rarer statuses
 * unless the events are walked. The plus keeps SQLite from walking all dead deliveries for each event.
 */
function hasDelivery(eb: Tables, status: DeliveryStatus, walked: boolean): Expression<SqlBool> {
  const deliveries = eb.selectFrom('deliveries').select('deliveries.event_id');
  const ofEvent = deliveries.whereRef('deliveries.event_id', '=', 'events.id');
  if (walked) return eb.exists(ofEvent.where(sql<SqlBool>`+deliveries.status = ${status}`));
  return status === 'succeeded' || status === 'skipped'
    ? eb.exists(ofEvent.where((delivery) => hasStatus(delivery, status)))
    : eb(
        'events.id',
        'in',
        deliveries.where((delivery) => hasStatus(delivery, status)),
      );
}
