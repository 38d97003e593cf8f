/** Writes lists as tables or as JSON lines. */
import type { Session } from '../session.ts';
import { countOf } from '../../kernel/text/count.ts';
import { writeEscaped, writeText } from '../terminal/text-output.ts';
import type { Page } from './pages.ts';
import { createTable, type Column } from './table.ts';

export interface ListOutput<Row> {
  readonly columns: readonly Column<Row>[];
  /** Prints one JSON object per line instead of a table. */
  readonly json: boolean;
  /** Printed when the list is empty. Left out by lists that never end. */
  readonly empty?: string;
}

/**
 * Writes a list as NDJSON or as a table. Says so when the list is empty or cut at its limit.
 *
 * @returns the number of rows written.
 */
export async function writeList<Row>(
  session: Session,
  list: AsyncIterable<Page<Row>>,
  { columns, json, empty }: ListOutput<Row>,
): Promise<number> {
  const { out } = session.terminal;
  const table = createTable(columns, out.columns(), out.colors);
  let count = 0;
  for await (const { rows, cut } of list) {
    count += rows.length;
    if (rows.length > 0 && json) await writeText(out, `${ndjson(rows)}\n`);
    else if (rows.length > 0) await writeEscaped(out, `${table.page(rows)}\n`);
    if (cut) await session.note(`More than ${countOf(count, 'row')}; --limit all shows every one.`);
  }
  if (count === 0 && !json && empty !== undefined) await session.print(empty);
  return count;
}

function ndjson(rows: readonly unknown[]): string {
  return rows.map((row) => JSON.stringify(row)).join('\n');
}
