/** Lists quarantine entries for operators. */
import { sql, type RawBuilder } from 'kysely';
import type { Queries, QuarantineFilter } from '../../queries.ts';
import { rowOf } from '../ids.ts';
import { allOf, type Condition, type Dialect } from '../sql/dialect.ts';
import type { SharedConnection } from '../sql/connection.ts';
import {
  quarantinedDelivery,
  quarantineRecord,
  type EntryRow,
  type QuarantineRow,
} from './quarantine-record.ts';

/** Selects entries without their bytes. */
export const selectEntries: RawBuilder<unknown> = sql`
  select id, source, status, reason, kind, message, issues, received_at, repeats, last_repeat_at, event_id
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
  { ids, source, reason, status, kind, problem, upTo }: QuarantineFilter,
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
  if (problem !== undefined) all.push(sql`problem = ${problem}`);
  if (upTo !== undefined) all.push(sql`id <= ${rowOf('q', upTo) ?? 0}`);
  return allOf(all);
}
