import type { JsonValue } from '../../kernel/json.ts';
import type { EventFlag } from '../../event/parsed-event.ts';
import type { EventRecord, StoredEvent, Verdict } from '../../event/stored-event.ts';
import type { Ids } from './ids.ts';

/** What every read of an event selects, from `events` joined with `subjects`. */
export const eventColumns = [
  'events.id as event_id',
  'events.kind',
  'events.recognized',
  'events.verdict',
  'events.flags',
  'events.version',
  'events.received_at',
  'events.repeats',
  'events.last_repeat_at',
  'events.message_id',
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
    flags: JSON.parse(row.flags) as EventFlag[],
    version: row.version,
    receivedAt: row.received_at,
    repeats: row.repeats,
    lastRepeatAt: row.last_repeat_at,
    messageId: row.message_id,
  };
}

export function storedEvent(row: EventRow & { readonly body: Uint8Array | null }, ids: Ids): StoredEvent {
  return { ...eventRecord(row, ids), data: payload(row.body) };
}

/** Strips a byte order mark, as the parser does. */
const utf8 = new TextDecoder();

/**
 * The envelope's `data`. Null once the body is purged, and should the bytes not
 * be an envelope: only the parser's output is stored as events, and one
 * unreadable row must not keep the others from being claimed.
 */
function payload(body: Uint8Array | null): JsonValue {
  if (body === null) return null;
  try {
    const envelope = JSON.parse(utf8.decode(body)) as { readonly data?: JsonValue } | null;
    return envelope?.data ?? null;
  } catch {
    return null;
  }
}

/** A BLOB without the Buffer that better-sqlite3 wraps it in. */
export function plainBytes(blob: Uint8Array): Uint8Array {
  return new Uint8Array(blob.buffer, blob.byteOffset, blob.byteLength);
}
