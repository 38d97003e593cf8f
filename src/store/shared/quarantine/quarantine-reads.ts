/** Lists quarantine entries for operators. */
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type {
  Queries,
  QuarantineFilter,
  QuarantinedDelivery,
  QuarantineRecord,
  QuarantineStatus,
} from '../../queries.ts';
import { rowOf, rowId, type Ids } from '../ids.ts';
import { allOf, type Condition, type Dialect } from '../sql/dialect.ts';
import type { SharedConnection } from '../sql/connection.ts';
import { subjectName } from '../../../event/subject.ts';
import type { ParseIssue, RejectionReason } from '../../../event/delivery.ts';
import { plainBytes } from '../events/event-record.ts';
import type { DatabaseSchema } from '../tables.ts';

/** Selects entries without their bytes. */
export const selectEntries: RawBuilder<unknown> = sql`
  select id, source, status, reason, kind, subject, message, issues, received_at, repeats, last_repeat_at, event_id,
    message_id, erased
  from quarantine`;

export function createQuarantineReads({
  read,
  dialect,
  ids,
}: SharedConnection): Pick<Queries, 'quarantined' | 'quarantinedDelivery' | 'droppedFromQuarantine'> {
  return {
    async quarantined(filter, { order, limit, after }) {
      const beyond = order === 'oldest' ? sql`>` : sql`<`;
      const rows = await read.rows(sql<EntryRow>`
        ${selectEntries} where ${entryConditions(filter, dialect)}
          and ${after === undefined ? sql`true` : sql`id ${beyond} ${rowOf('q', after) ?? -1}`}
        order by id ${order === 'oldest' ? sql`asc` : sql`desc`} limit ${limit}`);
      return rows.map((row) => quarantineRecord(row, ids));
    },
    async quarantinedDelivery(id) {
      const row = await read.first(
        sql<QuarantineRow>`select * from quarantine where id = ${rowOf('q', id) ?? -1}`,
      );
      return row === undefined ? null : quarantinedDelivery(row, ids);
    },
    async droppedFromQuarantine(wanted) {
      const rows = wanted.flatMap((id) => rowOf('q', id) ?? []);
      // Numbers are never reused, and only the quota and retention delete entries.
      const gone = await read.rows(sql<{ id: number }>`
        select id from ${dialect.tableOf('wanted', rows, { id: ['bigint', (row) => row] })}
        where id between 1 and coalesce(${dialect.lastNumber('quarantine')}, 0)
          and not exists (select 1 from quarantine where quarantine.id = wanted.id)`);
      const dropped = new Set(gone.map(({ id }) => id));
      return wanted.filter((id) => dropped.has(rowOf('q', id) ?? 0));
    },
  };
}

/** The conditions of a filter on quarantine entries. */
export function entryConditions(
  { ids, source, reason, status, kind, subject, problem, upTo }: QuarantineFilter,
  dialect: Dialect,
): Condition {
  const all: Condition[] = [];
  if (ids !== undefined) {
    const rows = ids.flatMap((id) => rowOf('q', id) ?? []);
    all.push(dialect.isAnyOf('quarantine.id', rows, 'bigint'));
  }
  if (source !== undefined) all.push(sql`source = ${source}`);
  if (reason !== undefined) all.push(sql`reason = ${reason}`);
  // Worded like the partial indexes.
  if (status !== undefined) all.push(sql`status = ${sql.lit(status)}`);
  if (kind !== undefined) all.push(sql`kind = ${kind}`);
  if (subject !== undefined) all.push(sql`subject = ${subjectName(subject)}`);
  if (problem !== undefined) all.push(sql`problem = ${problem}`);
  if (upTo !== undefined) all.push(sql`id <= ${rowOf('q', upTo) ?? 0}`);
  return allOf(all);
}

/** A row of the quarantine. */
type QuarantineRow = Selectable<DatabaseSchema['quarantine']>;
/** The same without its bytes. */
export type EntryRow = Pick<
  QuarantineRow,
  | 'id'
  | 'source'
  | 'status'
  | 'reason'
  | 'kind'
  | 'subject'
  | 'message'
  | 'issues'
  | 'received_at'
  | 'repeats'
  | 'last_repeat_at'
  | 'event_id'
  | 'message_id'
  | 'erased'
>;

export function quarantineRecord(row: EntryRow, ids: Ids): QuarantineRecord {
  return {
    id: rowId('q', row.id),
    source: row.source,
    status: row.status as QuarantineStatus,
    reason: row.reason as RejectionReason,
    kind: row.kind,
    subject: row.subject,
    message: row.message,
    issues: JSON.parse(row.issues) as ParseIssue[],
    receivedAt: row.received_at,
    repeats: row.repeats,
    lastRepeatAt: row.last_repeat_at,
    messageId: row.message_id,
    eventId: row.event_id === null ? null : ids.event(row.event_id),
    erased: row.erased === 1,
  };
}

/** Returns an entry with its bytes. */
function quarantinedDelivery(row: QuarantineRow, ids: Ids): QuarantinedDelivery {
  return {
    ...quarantineRecord(row, ids),
    body: plainBytes(row.body),
    headers: JSON.parse(row.headers) as QuarantinedDelivery['headers'],
    senderVerified: row.verified === 1,
    messageIdTrusted: row.message_trusted === 1,
  };
}
