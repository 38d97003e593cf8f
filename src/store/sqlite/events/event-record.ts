import { sql } from 'kysely';
import type { EventFlag } from '../../../event/event.ts';
import type { EventRecord, StoredEvent, Verdict } from '../../../event/stored-event.ts';
import type { Ids } from '../sql/ids.ts';
import { LazyStoredEvent } from './lazy-stored-event.ts';

/** What every read of an event selects, from `events` joined with `subjects`. */
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
  // Only a trusted id is looked up, so only that has a key.
  sql<number>`(events.message_key is not null)`.as('message_trusted'),
  'subjects.source',
  'subjects.family',
  'subjects.entity',
] as const;

export interface EventRow {
  readonly event_id: number;
  readonly kind: string;
  readonly recognized: number;
  readonly verdict: string;
  readonly flags: string;
  readonly version: string | null;
  readonly received_at: number;
  readonly repeats: number;
  readonly last_repeat_at: number | null;
  readonly message_id: string | null;
  readonly message_trusted: number;
  readonly source: string;
  readonly family: string;
  readonly entity: string;
}

export function eventRecord(row: EventRow, ids: Ids): EventRecord {
  return {
    id: ids.event(row.event_id),
    kind: row.kind,
    recognized: row.recognized === 1,
    source: row.source,
    subject: { family: row.family, id: row.entity },
    verdict: row.verdict as Verdict,
    // Most have none.
    flags: row.flags === '[]' ? [] : (JSON.parse(row.flags) as EventFlag[]),
    version: row.version,
    receivedAt: row.received_at,
    repeats: row.repeats,
    lastRepeatAt: row.last_repeat_at,
    messageId: row.message_id,
    messageIdTrusted: row.message_trusted === 1,
  };
}

/**
 * The body of an event as text: what the parser took is UTF-8. A string is
 * cheaper to make than a Buffer, and to forget again.
 */
export const bodyText = sql<string | null>`cast(events.body as text)`;

export function storedEvent(row: EventRow & { readonly body: string | null }, ids: Ids): StoredEvent {
  return new LazyStoredEvent(eventRecord(row, ids), row.body);
}

/** A BLOB without the Buffer that better-sqlite3 wraps it in. */
export function plainBytes(blob: Uint8Array): Uint8Array {
  return new Uint8Array(blob.buffer, blob.byteOffset, blob.byteLength);
}
