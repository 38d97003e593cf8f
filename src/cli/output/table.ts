import CliTable from 'cli-table3';
import { printableLine } from '../../kernel/text/printable.ts';

/** One column of a table for people. */
export interface Column<Row> {
  readonly heading: string;
  readonly align?: 'right';
  /** Whether its cells may be cut on a narrow terminal. */
  readonly shrinks?: true;
  /** Whether the column may be left out on a narrow terminal. Columns are left out before cells are cut. */
  readonly optional?: true;
  value(row: Row): string | number | null;
}

/** Spaces between columns. */
const GAP = 2;
/** The width below which no column shrinks. */
const MIN_WIDTH = 8;

const noBorders = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid', 'middle']
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .concat('left-mid', 'mid-mid', 'right-mid')
    .map((name) => [name, '']),
);

/** Formats rows page by page. Only the first page has a heading, and columns never get narrower. */
export interface TableWriter<Row> {
  page(rows: readonly Row[]): string;
}

/** @param width characters per line; Infinity shows every cell in full. */
export function createTable<Row>(all: readonly Column<Row>[], width: number): TableWriter<Row> {
  let columns: readonly Column<Row>[] | undefined;
  let widths: readonly number[] = [];
  return {
    page(rows) {
      const isFirst = columns === undefined;
      columns ??= chooseColumns(all, rows, width);
      const cells = cellsOf(columns, rows);
      if (isFirst) cells.unshift(columns.map(headingOf));
      widths = fit(widest(cells, widths), columns, width);
      return draw(cells, columns, widths);
    },
  };
}

function headingOf<Row>({ heading }: Column<Row>): string {
  return heading.toUpperCase();
}

function cellsOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string[][] {
  return rows.map((row) => columns.map((column) => printableLine(String(column.value(row) ?? ''))));
}

/** Leaves out optional columns, the last one first, until the rows fit or none is left. */
function chooseColumns<Row>(
  all: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): readonly Column<Row>[] {
  let chosen = all;
  while (lineWidth(widest([chosen.map(headingOf), ...cellsOf(chosen, rows)], [])) > width) {
    const last = chosen.findLast(({ optional }) => optional);
    if (last === undefined) break;
    chosen = chosen.filter((column) => column !== last);
  }
  return chosen;
}

/** The width of each column: its longest cell, but at least its previous width. */
function widest(cells: readonly (readonly string[])[], previous: readonly number[]): readonly number[] {
  const columns = cells[0]?.map((_, at) => cells.map((line) => Array.from(line[at] ?? '').length)) ?? [];
  return columns.map((lengths, at) => Math.max(previous[at] ?? 0, ...lengths));
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each + GAP, -GAP);
}

/** Narrows the widest shrinkable column, again and again, until the line fits or none can shrink. */
function fit<Row>(natural: readonly number[], columns: readonly Column<Row>[], width: number): number[] {
  const widths = [...natural];
  while (lineWidth(widths) > width) {
    let widestAt = -1;
    for (const [at, column] of columns.entries())
      if (column.shrinks && widths[at]! > MIN_WIDTH && widths[at]! > (widths[widestAt] ?? 0)) widestAt = at;
    if (widestAt === -1) break;
    widths[widestAt]! -= 1;
  }
  return widths;
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
