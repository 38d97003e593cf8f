import { expressionBuilder, sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely';
import type { DeliveryStatus, EventFilter } from '../../queries.ts';
import { anyOf } from '../sql/any-of.ts';
import type { DatabaseSchema } from '../file/database-schema.ts';
import type { Ids } from '../sql/ids.ts';
import { kindGlob } from '../sql/kind-glob.ts';
import { ofStatus } from '../sql/of-status.ts';

/** The tables that a filter of events speaks of. */
type Tables = ExpressionBuilder<DatabaseSchema, 'events' | 'subjects'>;

/** What holds for the events that a filter lets through; ids that are none of this store's match nothing. */
export function eventConditions(filter: EventFilter, ids: Ids): Expression<SqlBool>[] {
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
  if (filter.status !== undefined) all.push(hasDelivery(eb, filter.status));
  return all;
}

/** Those of the conditions that ask for what events are counted by, of any table `events` that has it. */
export function classConditions({ kinds, verdict }: EventFilter): Expression<SqlBool>[] {
  const eb = expressionBuilder<{ events: Pick<DatabaseSchema['events'], 'kind' | 'verdict'> }, 'events'>();
  const all: Expression<SqlBool>[] = [];
  if (kinds !== undefined) all.push(eb.or(kinds.map((kind) => eb('events.kind', sql`glob`, kindGlob(kind)))));
  if (verdict !== undefined) all.push(eb('events.verdict', '=', verdict));
  return all;
}

/** Whether the conditions speak of `subjects`, which is joined in vain otherwise. */
export function asksForSubjects({ subject, source }: EventFilter): boolean {
  return subject !== undefined || source !== undefined;
}

/** Most events have one that succeeded, so each is asked; of the other statuses there are few to begin with. */
function hasDelivery(eb: Tables, status: DeliveryStatus): Expression<SqlBool> {
  const deliveries = eb
    .selectFrom('deliveries')
    .select('deliveries.event_id')
    .where((delivery) => ofStatus(delivery, status));
  return status === 'succeeded' || status === 'skipped'
    ? eb.exists(deliveries.whereRef('deliveries.event_id', '=', 'events.id'))
    : eb('events.id', 'in', deliveries);
}
