/** Lists events for operators, and predicts verdicts. */
import { sql, type SqlBool } from 'kysely';
import { predecessorsOf, type ComparedEvent } from '../../../event/predecessors.ts';
import type { StoredDelivery } from '../../../event/stored-event.ts';
import type { Queries } from '../../queries.ts';
import type { Connection } from '../sql/connection.ts';
import { anyOf } from '../sql/expressions.ts';
import { rowsNow } from '../sql/statement.ts';
import { eventCondition } from '../../shared/events/event-conditions.ts';
import { eventRecord, plainBytes } from '../../shared/events/event-record.ts';
import { eventColumns } from './stored-events.ts';
import type { Plans } from '../../plans.ts';
import { predictVerdicts, type StoredBefore } from '../../shared/events/predict-verdicts.ts';
import { createKeyed } from '../privacy/keyed-digest.ts';
import { createKnownEvents } from './known-events.ts';
import { createFindSubject } from './subjects.ts';

export function createEventReads({
  database,
  query,
  dialect,
  ids,
}: Connection): Pick<Queries, 'events' | 'event' | 'subjectTrail' | 'bodySizes'> {
  const joined = () =>
    query.selectFrom('events').innerJoin('subjects', 'subjects.id', 'events.subject_id').select(eventColumns);

  return {
    async events(filter, { order, limit, after }) {
      const oldestFirst = order === 'oldest';
      const from = after === undefined ? undefined : ids.eventRow(after);
      if (after !== undefined && from === undefined) return [];
      let page = joined().where((eb) => eb.and([eventCondition(filter, { ids, dialect })]));
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
        .select(['events.id', 'logged.source', 'events.verdict', 'events.version']);
      const rows = rowsNow<ComparedEvent<number>>(database, compared).sort((one, other) => one.id - other.id);
      const befores = predecessorsOf(rows);
      return {
        events: Float64Array.from(rows, ({ id }) => id),
        predecessors: Float64Array.from(rows, ({ id }) => befores.get(id) ?? 0),
      };
    },
    async bodySizes(eventIds) {
      const numbers = eventIds.map((id) => ids.eventRow(id) ?? 0);
      const rows = await query
        .selectFrom('events')
        .select(['id', sql<number>`coalesce(length(body), 0)`.as('bytes')])
        .where('id', 'in', anyOf(numbers))
        .execute();
      const sizes = new Map(rows.map(({ id, bytes }) => [id, bytes]));
      return numbers.map((number) => sizes.get(number) ?? 0);
    },
  };
}

/** Predicts verdicts. Its statements are prepared at the first call: few processes ever ask. */
export function createPredict(connection: Connection): Pick<Plans, 'predictVerdicts'> {
  let prepared: ReturnType<typeof prepareLookUp> | undefined;
  return {
    predictVerdicts(events) {
      prepared ??= prepareLookUp(connection);
      const { lookUp, hasContent } = prepared;
      return Promise.resolve(predictVerdicts(events, events.map(lookUp), hasContent));
    },
  };
}

function prepareLookUp(connection: Connection) {
  const keyed = createKeyed(connection.database);
  const { find } = createFindSubject(connection, keyed);
  const { ofMessage, newestOfContent, hasContent } = createKnownEvents(connection, keyed);
  const lookUp = ({
    source,
    subject: name,
    formerId,
    digest,
    messageDigest,
  }: Parameters<Plans['predictVerdicts']>[0][number]): StoredBefore => {
    const subject = find(source, name, formerId);
    return {
      subject,
      ofMessage: messageDigest === null ? undefined : ofMessage(messageDigest),
      ofContent: subject === undefined ? undefined : newestOfContent(subject, digest),
    };
  };
  return { lookUp, hasContent };
}
