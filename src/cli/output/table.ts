import CliTable from 'cli-table3';
import { printableLine } from './printable.ts';

export interface Column<Row> {
  readonly heading: string;
  readonly align?: 'right';
  /** Whether it may be cut short where the terminal is narrow. */
  readonly shrinks?: true;
  value(row: Row): string | number | null;
}

/** Between columns. */
const GAP = 2;
const LEAST_WIDTH = 8;

const noBorders = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid', 'middle']
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .concat('left-mid', 'mid-mid', 'right-mid')
    .map((name) => [name, '']),
);

/** Prints rows page by page under one heading; columns never get narrower from one page to the next. */
export interface TableWriter<Row> {
  page(rows: readonly Row[]): string;
}

/** @param width characters in a line; Infinity cuts nothing. */
export function createTable<Row>(columns: readonly Column<Row>[], width: number): TableWriter<Row> {
  let widths = columns.map(() => 0);
  let headed = false;
  return {
    page(rows) {
      const cells = rows.map((row) =>
        columns.map((column) => printableLine(String(column.value(row) ?? ''))),
      );
      if (!headed) cells.unshift(columns.map(({ heading }) => heading.toUpperCase()));
      headed = true;
      const natural = widths.map((least, at) =>
        Math.max(least, ...cells.map((line) => Array.from(line[at] ?? '').length)),
      );
      widths = fit(natural, columns, width);
      return draw(cells, columns, widths);
    },
  };
}

function draw<Row>(
  cells: readonly string[][],
  columns: readonly Column<Row>[],
  widths: readonly number[],
): string {
  const table = new CliTable({
    chars: noBorders,
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [], compact: true },
    colWidths: widths.map((width) => width + GAP),
    colAligns: columns.map(({ align }) => align ?? 'left'),
  });
  table.push(...cells.map((line) => [...line]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Narrows the widest of the columns that may shrink until the line fits, or none can give more. */
function fit<Row>(natural: readonly number[], columns: readonly Column<Row>[], width: number): number[] {
  const widths = [...natural];
  const needed = () => widths.reduce((sum, each) => sum + each + GAP, -GAP);
  while (needed() > width) {
    let widest = -1;
    for (const [at, column] of columns.entries())
      if (column.shrinks && widths[at]! > LEAST_WIDTH && widths[at]! > (widths[widest] ?? 0)) widest = at;
    if (widest === -1) break;
    widths[widest]! -= 1;
  }
  return widths;
}
