import type { StoredDelivery } from '../../../event/stored-event.ts';
import type { Queries } from '../../queries.ts';
import type { Connection } from '../sql/connection.ts';
import { eventConditions } from './event-conditions.ts';
import { eventColumns, eventRecord, plainBytes } from './event-record.ts';

/** The event log, for people. */
export function createEventReads({ query, ids }: Connection): Pick<Queries, 'events' | 'event'> {
  const joined = () =>
    query.selectFrom('events').innerJoin('subjects', 'subjects.id', 'events.subject_id').select(eventColumns);

  return {
    async events(filter, { order, limit, after }) {
      const oldestFirst = order === 'oldest';
      const from = after === undefined ? undefined : ids.eventRow(after);
      if (after !== undefined && from === undefined) return [];
      let page = joined().where((eb) => eb.and(eventConditions(filter, ids)));
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
