import { sql, type SqlBool } from 'kysely';
import { predecessorsOf, type ComparedEvent } from '../../../event/predecessors.ts';
import type { StoredDelivery } from '../../../event/stored-event.ts';
import type { Queries } from '../../queries.ts';
import type { Connection } from '../sql/connection.ts';
import { rowsNow } from '../sql/statement.ts';
import { eventConditions } from './event-conditions.ts';
import { eventRecord, plainBytes } from '../../rows/events/event-record.ts';
import { eventColumns } from './stored-events.ts';

/** Reads the event log for operators. */
export function createEventReads({
  database,
  query,
  ids,
}: Connection): Pick<Queries, 'events' | 'event' | 'subjectTrail'> {
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
        .select(['events.headers', 'events.body', 'events.pruned_at'])
        .where('events.id', '=', number)
        .executeTakeFirst();
      if (row === undefined) return null;
      return {
        ...eventRecord(row, ids),
        headers: JSON.parse(row.headers) as StoredDelivery['headers'],
        body: row.body === null ? null : plainBytes(row.body),
        prunedAt: row.pruned_at,
      };
    },
    // Returns numbers alone: the events themselves are read page by page.
    async subjectTrail(subject, source) {
      let logged = query
        .selectFrom('subjects')
        .innerJoin('events', 'events.subject_id', 'subjects.id')
        .select(['events.id', 'subjects.source'])
        .where('subjects.family', '=', subject.family)
        .where('subjects.entity', '=', subject.id)
        .orderBy('events.id')
        .limit(sql.lit(-1));
      if (source !== undefined) logged = logged.where('subjects.source', '=', source);
      // Reads the events in table order, as version-order.ts does.
      const compared = query
        .selectFrom(logged.as('logged'))
        .innerJoin('events', (join) => join.on(sql<SqlBool>`events.id = +logged.id`))
        .select(['events.id', 'logged.source', 'events.verdict', 'events.version'])
        .select(sql<number>`coalesce(length(events.body), 0)`.as('bytes'));
      const rows = rowsNow<ComparedEvent<number> & { readonly bytes: number }>(database, compared).sort(
        (one, other) => one.id - other.id,
      );
      const befores = predecessorsOf(rows);
      return {
        events: Float64Array.from(rows, ({ id }) => id),
        predecessors: Float64Array.from(rows, ({ id }) => befores.get(id) ?? 0),
        bytes: Float64Array.from(rows, ({ bytes }) => bytes),
      };
    },
  };
}
