import { Buffer } from 'node:buffer';
import { sql, type RawBuilder } from 'kysely';
import { predecessorsOf, type ComparedEvent } from '../../../event/predecessors.ts';
import type { EventRecord, StoredDelivery, Verdict } from '../../../event/stored-event.ts';
import type { Queries } from '../../queries.ts';
import { eventRecord, plainBytes, type EventRow } from '../../rows/event-record.ts';
import type { Connection } from '../sql/connection.ts';
import { arrayOf } from '../sql/expressions.ts';
import { settledThrough } from './event-numbers.ts';
import { eventCondition } from './event-conditions.ts';

/** The columns of an `EventRow`. */
const recordColumns = sql`
  events.id as event_id, events.kind, events.recognized, events.verdict, events.flags, events.version,
  events.received_at, events.message_id, (events.message_key is not null)::integer as message_trusted,
  subjects.source, subjects.family, subjects.entity,
  coalesce(event_repeats.repeats, 0) as repeats, event_repeats.last_repeat_at`;

const recordTables = sql`
  events join subjects on subjects.id = events.subject_id
  left join event_repeats on event_repeats.event_id = events.id`;

/** Reads records of events by their row numbers. */
export function createRecordReads({ read, ids }: Connection) {
  return {
    /** Returns records, newest first. */
    async recordsOf(rows: readonly number[]): Promise<readonly EventRecord[]> {
      if (rows.length === 0) return [];
      const found = await read.rows(sql<EventRow>`
        select ${recordColumns} from ${recordTables}
        where events.id = any(${arrayOf(rows, 'bigint')}) order by events.id desc`);
      return found.map((row) => eventRecord(row, ids));
    },
  };
}

/**
 * Reads the event log for operators. A page that begins with the newest holds what was committed when it was read.
 * Pages that begin with the oldest follow the log, so they end before the first number that a running transaction
 * may still commit: the next page begins there, and no event is skipped.
 */
export function createEventReads({
  read,
  ids,
}: Connection): Pick<Queries, 'events' | 'event' | 'subjectTrail'> {
  return {
    async events(filter, { order, limit, after }) {
      const from = after === undefined ? undefined : ids.eventRow(after);
      if (after !== undefined && from === undefined) return [];
      const conditions: RawBuilder<boolean>[] = [eventCondition(filter, ids)];
      if (order === 'oldest') {
        conditions.push(sql`events.id > ${from ?? 0}`);
        if (filter.ids === undefined) conditions.push(sql`events.id <= ${await settledThrough(read)}`);
      } else if (from !== undefined) conditions.push(sql`events.id < ${from}`);
      const direction = order === 'oldest' ? sql`asc` : sql`desc`;
      // The page first: a join would make other plans look cheaper.
      const rows = await read.rows(sql<EventRow>`
        with page as materialized (
          select events.id from events where ${sql.join(conditions, sql` and `)}
          order by events.id ${direction} limit ${limit}
        )
        select ${recordColumns} from page join ${recordTables} on events.id = page.id
        order by events.id ${direction}`);
      return rows.map((row) => eventRecord(row, ids));
    },
    async event(id) {
      const number = ids.eventRow(id);
      if (number === undefined) return null;
      const row = await read.first(sql<
        EventRow & { headers: string | null; body: Buffer | null; pruned_at: number | null }
      >`
        select ${recordColumns}, events.pruned_at, event_contents.headers, event_contents.body
        from ${recordTables}
        left join event_contents
          on event_contents.event_id = events.id and event_contents.received_at = events.received_at
        where events.id = ${number}`);
      if (row === undefined) return null;
      return {
        ...eventRecord(row, ids),
        headers: JSON.parse(row.headers ?? '{}') as StoredDelivery['headers'],
        body: row.body === null ? null : plainBytes(row.body),
        prunedAt: row.pruned_at,
      };
    },
    // Returns numbers alone: the events themselves are read page by page.
    async subjectTrail(subject, source) {
      const trails = await read.rows(sql<Trail>`
        select named.source, logged.* from (
          select id, source from subjects where family = ${subject.family} and entity = ${subject.id}
            and ${source === undefined ? sql`true` : sql`source = ${source}`}
        ) as named, lateral (
          select array_agg(events.id::double precision) as events, array_agg(verdict) as verdicts,
            array_agg(version) as versions
          from events where subject_id = named.id
        ) as logged`);
      const rows = trails.flatMap(comparedEvents).sort((one, other) => one.id - other.id);
      const befores = predecessorsOf(rows);
      return {
        events: Float64Array.from(rows, ({ id }) => id),
        predecessors: Float64Array.from(rows, ({ id }) => befores.get(id) ?? 0),
      };
    },
  };
}

/** The events of a subject as columns: a hundred thousand rows would cost several times as much. */
interface Trail {
  readonly source: string;
  readonly events: readonly number[] | null;
  readonly verdicts: readonly Verdict[] | null;
  readonly versions: readonly (string | null)[] | null;
}

function comparedEvents({ source, events, verdicts, versions }: Trail): readonly ComparedEvent<number>[] {
  return (events ?? []).map((id, at) => ({
    ...{ id, source, version: versions?.[at] ?? null },
    verdict: verdicts?.[at] ?? 'new',
  }));
}
