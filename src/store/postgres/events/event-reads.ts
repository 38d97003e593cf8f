/** Lists events for operators, and predicts verdicts. */
import { sql, type RawBuilder } from 'kysely';
import { predecessorsOf, type ComparedEvent } from '../../../event/predecessors.ts';
import type { EventRecord, Verdict } from '../../../event/stored-event.ts';
import type { Queries } from '../../queries.ts';
import { eventRecord, type EventRow } from '../../shared/events/event-record.ts';
import type { Connection } from '../sql/connection.ts';
import { decodedVersion } from '../machines/version-order.ts';
import { isAnyOf } from '../sql/expressions.ts';
import { sizesOf } from './body-reads.ts';
import type { ContentKey } from './contents.ts';
import { eventsCompleteThrough } from './insert-events.ts';
import { eventCondition } from '../../shared/events/event-conditions.ts';
import { eventColumns, eventsWithSubjects } from './stored-events.ts';
import type { Plans } from '../../plans.ts';
import { predictVerdicts } from '../../shared/events/predict-verdicts.ts';
import { createKeyed } from '../privacy/keyed-digest.ts';
import { eventsOfMessages, hasContentOf, newestOfContents } from './known-events.ts';
import { readSubjects, subjectKey } from './subjects.ts';

/** Returns the records of events by their row numbers, newest first. */
export async function recordsOf(
  { read, ids }: Pick<Connection, 'read' | 'ids'>,
  rows: readonly number[],
): Promise<readonly EventRecord[]> {
  if (rows.length === 0) return [];
  const found = await read.rows(sql<EventRow>`
    select ${eventColumns} from ${eventsWithSubjects}
    where ${isAnyOf('events.id', rows, 'bigint')} order by events.id desc`);
  return found.map((row) => eventRecord(row, ids));
}

/**
 * Reads the event log for operators. A page that begins with the newest holds what was committed when it was read.
 * Pages that begin with the oldest follow the log, so they end before the first number that a running transaction
 * may still commit: the next page begins there, and no event is skipped.
 */
export function createEventReads({
  read,
  dialect,
  ids,
}: Connection): Pick<Queries, 'events' | 'subjectTrail' | 'bodySizes'> {
  return {
    async events(filter, { order, limit, after }) {
      const from = after === undefined ? undefined : ids.eventRow(after);
      if (after !== undefined && from === undefined) return [];
      const conditions: RawBuilder<boolean>[] = [eventCondition(filter, { ids, dialect })];
      if (order === 'oldest') {
        conditions.push(sql`events.id > ${from ?? 0}`);
        if (filter.ids === undefined) conditions.push(sql`events.id <= ${await eventsCompleteThrough(read)}`);
      } else if (from !== undefined) conditions.push(sql`events.id < ${from}`);
      const direction = order === 'oldest' ? sql`asc` : sql`desc`;
      // The page first: a join would make other plans look cheaper.
      const rows = await read.rows(sql<EventRow>`
        with page as materialized (
          select events.id from events where ${sql.join(conditions, sql` and `)}
          order by events.id ${direction} limit ${limit}
        )
        select ${eventColumns} from page join ${eventsWithSubjects} on events.id = page.id
        order by events.id ${direction}`);
      return rows.map((row) => eventRecord(row, ids));
    },
    // Returns numbers alone: the events themselves are read page by page.
    async subjectTrail(subject, source) {
      const trails = await read.rows(sql<Trail>`
        select named.source, logged.* from (
          select id, source from subjects where family = ${subject.family} and entity = ${subject.id}
            and ${source === undefined ? sql`true` : sql`source = ${source}`}
        ) as named, lateral (
          select json_agg(events.id) as events, json_agg(verdict) as verdicts, json_agg(version) as versions
          from events where subject_id = named.id
        ) as logged`);
      const rows = trails.flatMap(comparedEvents).sort((one, other) => one.id - other.id);
      const befores = predecessorsOf(rows);
      return {
        events: Float64Array.from(rows, ({ id }) => id),
        predecessors: Float64Array.from(rows, ({ id }) => befores.get(id) ?? 0),
      };
    },
    async bodySizes(eventIds) {
      const numbers = eventIds.map((id) => ids.eventRow(id) ?? 0);
      const events = await read.rows(sql<ContentKey>`
        select id, received_at as "receivedAt" from events where ${isAnyOf('id', numbers, 'bigint')}`);
      const sizes = events.length === 0 ? new Map<number, number>() : await sizesOf(read, events);
      return numbers.map((number) => sizes.get(number) ?? 0);
    },
  };
}

/** The events of a subject as JSON: a hundred thousand rows or an array would cost several times as much. */
interface Trail {
  readonly source: string;
  readonly events: readonly number[] | null;
  readonly verdicts: readonly Verdict[] | null;
  readonly versions: readonly (string | null)[] | null;
}

function comparedEvents({ source, events, verdicts, versions }: Trail): readonly ComparedEvent<number>[] {
  return (events ?? []).map((id, at) => ({
    ...{ id, source, version: decodedVersion(versions?.[at]) },
    verdict: verdicts?.[at] ?? 'new',
  }));
}

/** Events that are looked up in one statement. */
const BATCH = 500;

/** Predicts verdicts from what is stored now, without locks. */
export function createPredict({ read }: Pick<Connection, 'read'>): Pick<Plans, 'predictVerdicts'> {
  const key = createKeyed(read);
  type Before = Parameters<typeof predictVerdicts>[1][number];

  async function lookUp(events: Parameters<Plans['predictVerdicts']>[0]): Promise<readonly Before[]> {
    const keyed = await key();
    const subjects = await readSubjects(read, new Map(events.map((one) => [subjectKey(one), one])), keyed);
    const known = events.map((event) => subjects.get(subjectKey(event)));
    const ofMessage = await eventsOfMessages(
      read,
      events.map((event) => ({ event })),
    );
    const ofContent = await newestOfContents(
      read,
      events.map((event, at) => {
        const { id, erased } = known[at] ?? { id: 0, erased: 0 };
        return { event, subject: { id, erased, isNew: known[at] === undefined } };
      }),
      keyed,
    );
    return events.map((_, at) => ({
      subject: known[at],
      ofMessage: ofMessage[at],
      ofContent: ofContent[at],
    }));
  }

  return {
    async predictVerdicts(events) {
      const before: Before[] = [];
      for (let from = 0; from < events.length; from += BATCH)
        before.push(...(await lookUp(events.slice(from, from + BATCH))));
      return predictVerdicts(events, before, hasContentOf(await key()));
    },
  };
}
