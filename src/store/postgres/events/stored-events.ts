/** Reads stored events with their payloads. */
import { Buffer } from 'node:buffer';
import { sql } from 'kysely';
import type { StoredDelivery } from '../../../event/stored-event.ts';
import type { MachineStates } from '../../machine-states.ts';
import type { Queries } from '../../queries.ts';
import { eventRecord, plainBytes, storedEvent, type EventRow } from '../../shared/events/event-record.ts';
import type { Connection } from '../sql/connection.ts';
import { isAnyOf } from '../sql/expressions.ts';
import { readBodies, readContent } from './contents.ts';

/** The columns of an `EventRow`, from {@link eventsWithSubjects}. */
export const eventColumns = sql<EventRow>`
  events.id as event_id, events.kind, events.recognized, events.verdict, events.flags, events.version,
  events.received_at, coalesce(event_repeats.repeats, 0) as repeats, event_repeats.last_repeat_at,
  events.message_id, (events.message_key is not null)::integer as message_trusted,
  subjects.source, subjects.family, subjects.entity`;

export const eventsWithSubjects = sql`
  events
  join subjects on subjects.id = events.subject_id
  left join event_repeats on event_repeats.event_id = events.id`;

/** Reads events with their contents. */
export function createStoredEvents({
  read,
  ids,
  dataOf,
}: Connection): Pick<MachineStates, 'storedEvents'> & Pick<Queries, 'event'> {
  return {
    async storedEvents(wanted) {
      const numbers = wanted.map((id) => ids.eventRow(id) ?? 0);
      const rows = await read.rows(sql<EventRow>`
        select ${eventColumns} from ${eventsWithSubjects} where ${isAnyOf('events.id', numbers, 'bigint')}`);
      const bodies = await readBodies(
        read,
        rows.map((row) => ({ id: row.event_id, receivedAt: row.received_at })),
      );
      const found = new Map(rows.map((row) => [row.event_id, row]));
      return numbers.flatMap((number) => {
        const row = found.get(number);
        const body = bodies.get(number);
        if (row === undefined || body === undefined) return [];
        return [storedEvent({ ...row, body: Buffer.from(body).toString() }, ids, dataOf)];
      });
    },
    async event(id) {
      const number = ids.eventRow(id);
      if (number === undefined) return null;
      const row = await read.first(sql<EventRow & { pruned_at: number | null }>`
        select ${eventColumns}, coalesce(events.pruned_at, (
          select pruned_at from pruned_days where day = events.received_at / 86400000
        )) as pruned_at
        from ${eventsWithSubjects} where events.id = ${number}`);
      if (row === undefined) return null;
      const content = await readContent(read, { id: number, receivedAt: row.received_at });
      return {
        ...eventRecord(row, ids),
        headers: JSON.parse(content?.headers ?? '{}') as StoredDelivery['headers'],
        body: content === undefined ? null : plainBytes(content.body),
        // A few events of a day that was pruned at once stay.
        prunedAt: content === undefined ? row.pruned_at : null,
      };
    },
  };
}
