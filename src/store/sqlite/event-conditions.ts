import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely';
import type { DeliveryStatus, EventFilter } from '../queries.ts';
import { anyOf } from './any-of.ts';
import type { DatabaseSchema } from './database-schema.ts';
import type { Ids } from './ids.ts';
import { kindGlob } from './kind-glob.ts';
import { ofStatus } from './of-status.ts';

/** The tables that a filter of events speaks of. */
type Tables = ExpressionBuilder<DatabaseSchema, 'events' | 'subjects'>;

/** What holds for the events that a filter lets through; ids that are none of this store's match nothing. */
export function eventConditions(eb: Tables, filter: EventFilter, ids: Ids): Expression<SqlBool>[] {
  const all: Expression<SqlBool>[] = [];
  if (filter.ids !== undefined) {
    all.push(eb('events.id', 'in', anyOf(filter.ids.flatMap((id) => ids.eventRow(id) ?? []))));
  }
  if (filter.kinds !== undefined) {
    all.push(eb.or(filter.kinds.map((kind) => eb('events.kind', sql`glob`, kindGlob(kind)))));
  }
  if (filter.subject !== undefined) {
    all.push(
      eb('subjects.family', '=', filter.subject.family),
      eb('subjects.entity', '=', filter.subject.id),
    );
  }
  if (filter.source !== undefined) all.push(eb('subjects.source', '=', filter.source));
  if (filter.verdict !== undefined) all.push(eb('events.verdict', '=', filter.verdict));
  if (filter.flag !== undefined) {
    all.push(sql<SqlBool>`${filter.flag} in (select value from json_each(events.flags))`);
  }
  if (filter.since !== undefined) all.push(eb('events.received_at', '>=', filter.since));
  if (filter.until !== undefined) all.push(eb('events.received_at', '<', filter.until));
  if (filter.status !== undefined) all.push(hasDelivery(eb, filter.status));
  return all;
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
