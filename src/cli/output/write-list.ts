import type { Session } from '../session.ts';
import type { Page } from './pages.ts';
import { createTable, type Column } from './table.ts';
import { writeText } from '../terminal/text-output.ts';

export interface ListOutput<Row> {
  readonly columns: readonly Column<Row>[];
  /** One JSON object per line instead of a table. */
  readonly json: boolean;
  /** What to say when there is nothing; nothing when the list goes on for ever. */
  readonly empty?: string;
}

/** Writes a list as NDJSON or as a table, and says so when it is empty or cut. Returns how many rows. */
export async function writeList<Row>(
  session: Session,
  list: AsyncIterable<Page<Row>>,
  { columns, json, empty }: ListOutput<Row>,
): Promise<number> {
  const { out } = session.terminal;
  const table = createTable(columns, out.columns());
  let count = 0;
  for await (const { rows, cut } of list) {
    count += rows.length;
    if (rows.length > 0) await writeText(out, `${json ? ndjson(rows) : table.page(rows)}\n`);
    if (cut) await session.note(`Cut at ${String(count)}; --limit all shows every one.`);
  }
  if (count === 0 && !json && empty !== undefined) await session.print(empty);
  return count;
}

function ndjson(rows: readonly unknown[]): string {
  return rows.map((row) => JSON.stringify(row)).join('\n');
}
