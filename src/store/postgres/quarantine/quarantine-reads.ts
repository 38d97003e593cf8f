/** Lists quarantine entries for operators. */
import { sql, type Expression, type ExpressionBuilder, type Selectable, type SqlBool } from 'kysely';
import type { Queries, QuarantineFilter } from '../../queries.ts';
import { rowOf } from '../../shared/ids.ts';
import {
  quarantinedDelivery,
  quarantineRecord,
  recordColumns,
} from '../../shared/quarantine/quarantine-record.ts';
import type { PostgresSchema } from '../database/tables/postgres-schema.ts';
import type { Connection } from '../sql/connection.ts';
import { isAnyOf, sequenceOf, unnestOf } from '../sql/expressions.ts';

type Entry = Selectable<PostgresSchema['quarantine']>;

/** Lists quarantine entries for operators. */
export function createQuarantineReads({
  query,
  read,
  ids,
}: Connection): Pick<Queries, 'quarantined' | 'quarantinedDelivery' | 'droppedFromQuarantine'> {
  return {
    async quarantined(filter, { order, limit, after }) {
      const oldestFirst = order === 'oldest';
      let page = query.selectFrom('quarantine').select(recordColumns);
      page = page.where((eb) => eb.and([...entryConditions(eb, filter)]));
      if (after !== undefined) page = page.where('id', oldestFirst ? '>' : '<', rowOf('q', after) ?? -1);
      const rows = await read.rows(page.orderBy('id', oldestFirst ? 'asc' : 'desc').limit(limit));
      return rows.map((row) => quarantineRecord(row, ids));
    },
    async quarantinedDelivery(id) {
      const row = await read.first(sql<Entry>`select * from quarantine where id = ${rowOf('q', id) ?? -1}`);
      return row === undefined ? null : quarantinedDelivery(row, ids);
    },
    async droppedFromQuarantine(wanted) {
      const rows = wanted.flatMap((id) => rowOf('q', id) ?? []);
      // Numbers are never reused, and only the quota and retention delete entries.
      const gone = await read.rows(sql<{ row: number }>`
        select row from ${unnestOf('wanted', rows, { row: ['bigint', (row) => row] })}
        where row between 1 and coalesce(pg_sequence_last_value(${sequenceOf('quarantine')}), 0)
          and not exists (select from quarantine where id = row)`);
      const dropped = new Set(gone.map(({ row }) => row));
      return wanted.filter((id) => dropped.has(rowOf('q', id) ?? 0));
    },
  };
}

/** The conditions of a filter on quarantine entries. */
export function entryConditions(
  eb: ExpressionBuilder<PostgresSchema, 'quarantine'>,
  { ids, source, reason, status, kind, problem, upTo }: QuarantineFilter,
): readonly Expression<SqlBool>[] {
  const rows = ids?.flatMap((id) => rowOf('q', id) ?? []);
  return [
    ...(rows === undefined ? [] : [isAnyOf('quarantine.id', rows, 'bigint')]),
    ...(source === undefined ? [] : [eb('source', '=', source)]),
    ...(reason === undefined ? [] : [eb('reason', '=', reason)]),
    // Worded like the partial indexes.
    ...(status === undefined ? [] : [eb('status', '=', sql.lit(status))]),
    ...(kind === undefined ? [] : [eb('kind', '=', kind)]),
    ...(problem === undefined ? [] : [eb('problem', '=', problem)]),
    ...(upTo === undefined ? [] : [eb('id', '<=', rowOf('q', upTo) ?? 0)]),
  ];
}
