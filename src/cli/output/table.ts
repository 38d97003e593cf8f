/** Tables for people. */
import { styleText } from 'node:util';
import CliTable from 'cli-table3';
import { printableLine } from '../../kernel/text/printable.ts';

/** One column of a table for people. */
export interface Column<Row> {
  readonly heading: string;
  readonly align?: 'right';
  /** Whether its cells may be cut on a narrow terminal: at the end, or at the start if the end says more. Never ids. */
  readonly shrinks?: true | 'start';
  /** Whether its cells go on in further lines on a narrow terminal, between words. Of one column, the last. */
  readonly wraps?: true;
  /** Characters that are enough: columns are left out before cells are cut to less, but not for the rest of a text. */
  readonly enough?: number;
  /** Whether the column may be left out on a narrow terminal. Columns are left out before cells are cut. */
  readonly optional?: true;
  value(row: Row): string | number | null;
  /** How its cell stands out where there are colours. */
  tone?(row: Row): Tone | null;
}

/** `alarm` is for an operator to deal with, `attention` for him to know. */
export type Tone = 'alarm' | 'attention';

const STYLES = { alarm: 'red', attention: 'yellow' } as const;

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

/**
 * @param width characters per line; Infinity shows every cell in full.
 * @param colors whether cells may have colours. The text is then for {@link writeEscaped}: cells are escaped here.
 */
export function createTable<Row>(
  all: readonly Column<Row>[],
  width: number,
  colors = false,
): TableWriter<Row> {
  let columns: readonly Column<Row>[] | undefined;
  let widths: readonly number[] = [];
  return {
    page(rows) {
      const isFirst = columns === undefined;
      columns ??= chooseColumns(all, rows, width);
      const cells = cellsOf(columns, rows);
      const headings = isFirst ? [columns.map(headingOf)] : [];
      widths = fit(widest([...headings, ...cells], widths), columns, leastWidths(columns, cells), width);
      const fitted = cutAtStart(cells, columns, widths);
      return draw([...headings, ...(colors ? styled(fitted, columns, rows) : fitted)], columns, widths);
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
  for (;;) {
    const last = chosen.findLast(({ optional }) => optional);
    const natural = widest([chosen.map(headingOf), ...cellsOf(chosen, rows)], []);
    const needed = chosen.map((column, at) => Math.min(natural[at]!, enoughFor(column, column === last)));
    if (last === undefined || lineWidth(needed) <= width) break;
    chosen = chosen.filter((column) => column !== last);
  }
  return chosen;
}

/** A column that can do with less is left out only if it would be cut to its minimum. */
function enoughFor<Row>({ enough = Infinity }: Column<Row>, isNext: boolean): number {
  return isNext && enough < Infinity ? MIN_WIDTH : enough;
}

/** The width of each column: its longest cell, but at least its previous width. */
function widest(cells: readonly (readonly string[])[], previous: readonly number[]): readonly number[] {
  const columns = cells[0]?.map((_, at) => cells.map((line) => Array.from(line[at] ?? '').length)) ?? [];
  return columns.map((lengths, at) => Math.max(previous[at] ?? 0, ...lengths));
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each + GAP, -GAP);
}

/** How narrow columns may get: one that wraps keeps its longest word whole. */
function leastWidths<Row>(
  columns: readonly Column<Row>[],
  cells: readonly (readonly string[])[],
): readonly number[] {
  return columns.map(({ wraps }, at) => {
    const words = wraps ? cells.flatMap((line) => (line[at] ?? '').split(' ')) : [];
    return Math.max(MIN_WIDTH, ...words.map((word) => Array.from(word).length));
  });
}

/** Narrows the widest shrinkable column, again and again, until the line fits or none can shrink. */
function fit<Row>(
  natural: readonly number[],
  columns: readonly Column<Row>[],
  least: readonly number[],
  width: number,
): number[] {
  const widths = [...natural];
  while (lineWidth(widths) > width) {
    let widestAt = -1;
    for (const [at, column] of columns.entries())
      if (
        (column.shrinks || column.wraps) &&
        widths[at]! > least[at]! &&
        widths[at]! > (widths[widestAt] ?? 0)
      )
        widestAt = at;
    if (widestAt === -1) break;
    widths[widestAt]! -= 1;
  }
  return widths;
}

/** Cuts the cells of columns that shrink at the start. The others are cut when they are drawn. */
function cutAtStart<Row>(
  cells: readonly (readonly string[])[],
  columns: readonly Column<Row>[],
  widths: readonly number[],
): readonly (readonly string[])[] {
  return cells.map((line) =>
    line.map((cell, at) => {
      const characters = Array.from(cell);
      const width = widths[at] ?? Infinity;
      if (columns[at]?.shrinks !== 'start' || characters.length <= width) return cell;
      return `…${characters.slice(characters.length - width + 1).join('')}`;
    }),
  );
}

function styled<Row>(
  cells: readonly (readonly string[])[],
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): readonly (readonly string[])[] {
  return cells.map((line, row) =>
    line.map((cell, at) => {
      const tone = columns[at]?.tone?.(rows[row]!) ?? null;
      return tone === null ? cell : styleText(STYLES[tone], cell, { validateStream: false });
    }),
  );
}

function draw<Row>(
  cells: readonly (readonly string[])[],
  columns: readonly Column<Row>[],
  widths: readonly number[],
): string {
  const table = new CliTable({
    chars: noBorders,
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [], compact: true },
    colWidths: widths.map((width) => width + GAP),
    colAligns: columns.map(({ align }) => align ?? 'left'),
  });
  table.push(
    ...cells.map((line) =>
      line.map((content, at) => (columns[at]?.wraps ? { content, wordWrap: true } : content)),
    ),
  );
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
