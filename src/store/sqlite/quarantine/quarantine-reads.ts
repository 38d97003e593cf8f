/** Lists quarantine entries for operators. */
import type { Queries } from '../../queries.ts';
import { rowOf } from '../../shared/ids.ts';
import {
  quarantinedDelivery,
  quarantineRecord,
  recordColumns,
} from '../../shared/quarantine/quarantine-record.ts';
import type { Connection } from '../sql/connection.ts';
import { anyOf } from '../sql/expressions.ts';
import { entryConditions } from './entry-conditions.ts';

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
      return row === undefined ? null : quarantinedDelivery(row, ids);
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
