import CliTable from 'cli-table3';
import { printableLine } from '../../kernel/text/printable.ts';

export interface Column<Row> {
  readonly heading: string;
  readonly align?: 'right';
  /** Whether it may be cut short where the terminal is narrow. */
  readonly shrinks?: true;
  /** Whether it may be left out where the terminal is too narrow for all; before any is cut short. */
  readonly optional?: true;
  value(row: Row): string | number | null;
}

/** Between columns. */
const GAP = 2;
const MIN_WIDTH = 8;

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

/** @param width characters in a line; Infinity cuts and leaves out nothing. */
export function createTable<Row>(all: readonly Column<Row>[], width: number): TableWriter<Row> {
  let columns: readonly Column<Row>[] | undefined;
  let widths: readonly number[] = [];
  return {
    page(rows) {
      const isFirst = columns === undefined;
      columns ??= choose(all, rows, width);
      const cells = textsOf(columns, rows);
      if (isFirst) cells.unshift(columns.map(headingOf));
      widths = fit(widest(cells, widths), columns, width);
      return draw(cells, columns, widths);
    },
  };
}

function headingOf<Row>({ heading }: Column<Row>): string {
  return heading.toUpperCase();
}

function textsOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string[][] {
  return rows.map((row) => columns.map((column) => printableLine(String(column.value(row) ?? ''))));
}

/** The columns for which there is room with these rows, as they are; those that may not go, in any case. */
function choose<Row>(
  all: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): readonly Column<Row>[] {
  let chosen = all;
  while (lineWidth(widest([chosen.map(headingOf), ...textsOf(chosen, rows)], [])) > width) {
    const last = chosen.findLast(({ optional }) => optional);
    if (last === undefined) break;
    chosen = chosen.filter((column) => column !== last);
  }
  return chosen;
}

/** Of each column, the width of its longest cell, and no less than before. */
function widest(cells: readonly (readonly string[])[], before: readonly number[]): readonly number[] {
  const columns = cells[0]?.map((_, at) => cells.map((line) => Array.from(line[at] ?? '').length)) ?? [];
  return columns.map((lengths, at) => Math.max(before[at] ?? 0, ...lengths));
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each + GAP, -GAP);
}

/** Narrows the widest of the columns that may shrink until the line fits, or none can give more. */
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
