/** Reads stored events with their payloads. */
import { sql } from 'kysely';
import type { DataOf, EventRecord, StoredEvent } from '../../../event/stored-event.ts';
import type { Connection } from '../sql/connection.ts';
import { anyOf } from '../sql/expressions.ts';
import { eventRecord } from '../../shared/events/event-record.ts';
import { LazyStoredEvent } from '../../shared/events/lazy-stored-event.ts';

/** The columns of an `EventRow`, from `events` joined with `subjects`. */
export const eventColumns = [
  'events.id as event_id',
  'events.kind',
  'events.recognized',
  'events.verdict',
  'events.flags',
  'events.version',
  'events.received_at',
  sql<number>`coalesce((select repeats from event_repeats where event_id = events.id), 0)`.as('repeats'),
  sql<number | null>`(select last_repeat_at from event_repeats where event_id = events.id)`.as(
    'last_repeat_at',
  ),
  'events.message_id',
  // Only trusted message ids have a key.
  sql<number>`(events.message_key is not null)`.as('message_trusted'),
  'subjects.source',
  'subjects.family',
  'subjects.entity',
] as const;

/**
 * The body of an event as a string: the parser accepts only UTF-8. A string
 * costs less to allocate and to collect than a Buffer.
 */
export const bodyText = sql<string | null>`cast(events.body as text)`;

/** An event with its unparsed body; null once pruned. */
export interface StoredBody {
  readonly record: EventRecord;
  readonly body: string | null;
}

/** The maximum bytes of bodies in one message: the calling thread takes a millisecond to receive these. */
const MAX_MESSAGE_BYTES = 512 * 1024;

/** The events of the first ids of a request. Unknown and pruned ones are left out. */
export interface StoredBodies {
  readonly found: readonly StoredBody[];
  /** The number of ids that `found` covers. */
  readonly answered: number;
}

/** Reads the first of these events, as many as fit into a message; at least one. */
export type ReadStoredBodies = (wanted: readonly string[]) => Promise<StoredBodies>;

export function createStoredBodies({ query, ids }: Connection): ReadStoredBodies {
  const chosen = (rows: readonly number[]) =>
    query.selectFrom('events').where('events.id', 'in', anyOf(rows)).where('events.body', 'is not', null);

  /** Returns the number of rows, from the first on, whose bodies fit. */
  async function fitting(rows: readonly number[]): Promise<number> {
    const sizes = await chosen(rows)
      .select(['events.id', sql<number>`length(events.body)`.as('bytes')])
      .execute();
    const bytes = new Map(sizes.map((row) => [row.id, row.bytes]));
    let sum = 0;
    const at = rows.findIndex((row, index) => {
      sum += bytes.get(row) ?? 0;
      return sum > MAX_MESSAGE_BYTES && index > 0;
    });
    return at === -1 ? rows.length : at;
  }

  return async (wanted) => {
    const all = wanted.map((id) => ids.eventRow(id) ?? 0);
    const rows = all.slice(0, await fitting(all));
    const read = await chosen(rows)
      .innerJoin('subjects', 'subjects.id', 'events.subject_id')
      .select(eventColumns)
      .select(bodyText.as('body'))
      .execute();
    const found = new Map(read.map((row) => [row.event_id, row]));
    return {
      answered: rows.length,
      found: rows.flatMap((id) => {
        const row = found.get(id);
        return row === undefined ? [] : [{ record: eventRecord(row, ids), body: row.body }];
      }),
    };
  };
}

/** Reads events by id, through messages small enough not to block the calling thread. */
export async function readStoredEvents(
  read: ReadStoredBodies,
  ids: readonly string[],
  dataOf?: DataOf,
): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (let from = 0; from < ids.length;) {
    const { found, answered } = await read(ids.slice(from));
    for (const { record, body } of found) events.push(new LazyStoredEvent(record, body, dataOf));
    from += answered;
  }
  return events;
}
