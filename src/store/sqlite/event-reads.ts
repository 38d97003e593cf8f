import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely';
import type { StoredDelivery } from '../../event/stored-event.ts';
import type { DeliveryStatus, EventFilter, Queries } from '../queries.ts';
import { anyOf } from './any-of.ts';
import type { Connection } from './connection.ts';
import type { DatabaseSchema } from './database-schema.ts';
import { eventColumns, eventRecord, plainBytes } from './event-record.ts';
import type { Ids } from './ids.ts';
import { kindGlob } from './kind-glob.ts';
import { ofStatus } from './of-status.ts';

/** The event log, for people. */
export function createEventReads({ query, ids }: Connection): Pick<Queries, 'events' | 'event'> {
  const joined = () =>
    query.selectFrom('events').innerJoin('subjects', 'subjects.id', 'events.subject_id').select(eventColumns);

  return {
    async events(filter, { order, limit, after }) {
      const oldestFirst = order === 'oldest';
      const from = after === undefined ? undefined : ids.eventRow(after);
      if (after !== undefined && from === undefined) return [];
      let page = joined().where((eb) => eb.and(conditions(eb, filter, ids)));
      if (from !== undefined) page = page.where('events.id', oldestFirst ? '>' : '<', from);
      const rows = await page
        .orderBy('events.id', oldestFirst ? 'asc' : 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => eventRecord(row, ids));
    },
    async event(id) {
      const number = ids.eventRow(id);
      if (number === undefined) return null;
      const row = await joined()
        .select(['events.headers', 'events.body'])
        .where('events.id', '=', number)
        .executeTakeFirst();
      if (row === undefined) return null;
      return {
        ...eventRecord(row, ids),
        headers: JSON.parse(row.headers) as StoredDelivery['headers'],
        body: row.body === null ? null : plainBytes(row.body),
      };
    },
  };
}

type Tables = ExpressionBuilder<DatabaseSchema, 'events' | 'subjects'>;

function conditions(eb: Tables, filter: EventFilter, ids: Ids): Expression<SqlBool>[] {
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
