/** Events as rows, and as operators and handlers read them. */
import type { EventFlag } from '../../../event/event.ts';
import type { DataOf, EventRecord, StoredEvent, Verdict } from '../../../event/stored-event.ts';
import type { Ids } from '../ids.ts';
import { LazyStoredEvent } from './lazy-stored-event.ts';

/** The columns of an event and its subject, as both stores read them. */
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
    // Most events have no flags.
    flags: row.flags === '[]' ? [] : (JSON.parse(row.flags) as EventFlag[]),
    version: row.version,
    receivedAt: row.received_at,
    repeats: row.repeats,
    lastRepeatAt: row.last_repeat_at,
    messageId: row.message_id,
    messageIdTrusted: row.message_trusted === 1,
  };
}

export function storedEvent(
  row: EventRow & { readonly body: string | null },
  ids: Ids,
  dataOf?: DataOf,
): StoredEvent {
  return new LazyStoredEvent(eventRecord(row, ids), row.body, dataOf);
}

/** Returns a BLOB as a plain Uint8Array instead of the driver's Buffer. */
export function plainBytes(blob: Uint8Array): Uint8Array {
  return new Uint8Array(blob.buffer, blob.byteOffset, blob.byteLength);
}
