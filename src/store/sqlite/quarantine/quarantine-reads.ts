import type { Selectable } from 'kysely';
import type { ParseIssue, RejectionReason } from '../../../event/delivery.ts';
import type { Queries, QuarantinedDelivery, QuarantineRecord, QuarantineStatus } from '../../queries.ts';
import { plainBytes } from '../../rows/event-record.ts';
import type { DatabaseSchema } from '../../rows/tables.ts';
import type { Connection } from '../sql/connection.ts';
import { anyOf } from '../sql/expressions.ts';
import { entryConditions } from './entry-conditions.ts';
import { rowId, rowOf, type Ids } from '../../rows/ids.ts';

export const recordColumns = [
  'id',
  'source',
  'status',
  'reason',
  'kind',
  'message',
  'issues',
  'received_at',
  'repeats',
  'last_repeat_at',
  'event_id',
] as const;

type Row = Pick<Selectable<DatabaseSchema['quarantine']>, (typeof recordColumns)[number]>;

/** Lists quarantine entries for operators. */
export function createQuarantineReads({
  query,
  ids,
}: Connection): Pick<Queries, 'quarantined' | 'quarantinedDelivery' | 'droppedFromQuarantine'> {
  return {
    async quarantined(filter, { order, limit, after }) {
      const oldestFirst = order === 'oldest';
      let page = query.selectFrom('quarantine').select(recordColumns);
      page = page.where((eb) => eb.and([...entryConditions(eb, filter)]));
      if (after !== undefined) page = page.where('id', oldestFirst ? '>' : '<', rowOf('q', after) ?? -1);
      const rows = await page
        .orderBy('id', oldestFirst ? 'asc' : 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => quarantineRecord(row, ids));
    },
    async quarantinedDelivery(id) {
      const row = await query
        .selectFrom('quarantine')
        .selectAll()
        .where('id', '=', rowOf('q', id) ?? -1)
        .executeTakeFirst();
      if (row === undefined) return null;
      return {
        ...quarantineRecord(row, ids),
        body: plainBytes(row.body),
        headers: JSON.parse(row.headers) as QuarantinedDelivery['headers'],
        messageId: row.message_id,
        senderVerified: row.verified === 1,
        messageIdTrusted: row.message_trusted === 1,
        erased: row.erased === 1,
      };
    },
    async droppedFromQuarantine(ids) {
      const rows = ids.flatMap((id) => rowOf('q', id) ?? []);
      const sequence = await query
        .selectFrom('sqlite_sequence')
        .select('seq')
        .where('name', '=', 'quarantine')
        .executeTakeFirst();
      const kept = await query.selectFrom('quarantine').select('id').where('id', 'in', anyOf(rows)).execute();
      const keptRows = new Set(kept.map(({ id }) => id));
      // Row numbers are never reused, and only the quota and retention delete entries.
      const wasDropped = (row: number) => row > 0 && row <= (sequence?.seq ?? 0) && !keptRows.has(row);
      return ids.filter((id) => wasDropped(rowOf('q', id) ?? 0));
    },
  };
}

export function quarantineRecord(row: Row, ids: Ids): QuarantineRecord {
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
