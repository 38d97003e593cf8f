/** Quarantine entries as operators read them. */
import type { Selectable } from 'kysely';
import type { ParseIssue, RejectionReason } from '../../../event/delivery.ts';
import type { QuarantinedDelivery, QuarantineRecord, QuarantineStatus } from '../../queries.ts';
import { plainBytes } from '../events/event-record.ts';
import { rowId, type Ids } from '../ids.ts';
import type { DatabaseSchema } from '../tables.ts';

/** A row of the quarantine. */
export type QuarantineRow = Selectable<DatabaseSchema['quarantine']>;
/** The same without its bytes. */
export type EntryRow = Pick<
  QuarantineRow,
  | 'id'
  | 'source'
  | 'status'
  | 'reason'
  | 'kind'
  | 'message'
  | 'issues'
  | 'received_at'
  | 'repeats'
  | 'last_repeat_at'
  | 'event_id'
>;

export function quarantineRecord(row: EntryRow, ids: Ids): QuarantineRecord {
  return {
    id: rowId('q', row.id),
    source: row.source,
    status: row.status as QuarantineStatus,
    reason: row.reason as RejectionReason,
    kind: row.kind,
    message: row.message,
    issues: JSON.parse(row.issues) as ParseIssue[],
    receivedAt: row.received_at,
    repeats: row.repeats,
    lastRepeatAt: row.last_repeat_at,
    eventId: row.event_id === null ? null : ids.event(row.event_id),
  };
}

/** Returns an entry with its bytes. */
export function quarantinedDelivery(row: QuarantineRow, ids: Ids): QuarantinedDelivery {
  return {
    ...quarantineRecord(row, ids),
    body: plainBytes(row.body),
    headers: JSON.parse(row.headers) as QuarantinedDelivery['headers'],
    messageId: row.message_id,
    senderVerified: row.verified === 1,
    messageIdTrusted: row.message_trusted === 1,
    erased: row.erased === 1,
  };
}
