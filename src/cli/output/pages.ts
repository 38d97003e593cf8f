/** Lists as a sequence of pages, so that memory use does not grow with the length of a list. */
import { readPage } from '../../kernel/row-pages.ts';

/** The number of rows that a list shows. */
export type Limit = number | 'all';

/** Rows per page. */
const PAGE_SIZE = 500;

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Whether the limit cut the list after this page. */
  readonly cut: boolean;
}

/**
 * Reads a list from the store page by page, up to `limit` rows.
 *
 * @param read returns at most `limit` rows that follow the row with the id `after`.
 */
export async function* pages<Row extends { readonly id: string }>(
  limit: Limit,
  read: (page: { readonly limit: number; readonly after?: string }) => Promise<readonly Row[]>,
): AsyncGenerator<Page<Row>> {
  let left = limit === 'all' ? Infinity : limit;
  let after: string | undefined;
  for (;;) {
    const { rows, next } = await readPage(Math.min(left, PAGE_SIZE), after, read);
    left -= rows.length;
    yield { rows, cut: next !== null && left === 0 };
    if (next === null || left === 0) return;
    after = next;
  }
}

/** Maps the rows of each page. */
export async function* viewed<Row, View>(
  list: AsyncIterable<Page<Row>>,
  view: (row: Row) => View,
): AsyncGenerator<Page<View>> {
  for await (const { rows, cut } of list) yield { rows: rows.map(view), cut };
}

/** Splits a list that is in memory into pages, up to `limit` rows. */
export async function* wholeList<Row>(rows: readonly Row[], limit: Limit = 'all'): AsyncGenerator<Page<Row>> {
  const total = limit === 'all' ? rows.length : Math.min(limit, rows.length);
  for (let start = 0; start < total; start += PAGE_SIZE) {
    const end = Math.min(start + PAGE_SIZE, total);
    yield await Promise.resolve({ rows: rows.slice(start, end), cut: end === total && total < rows.length });
  }
}

/**
 * Pages of a list that the store returns whole, up to a limit.
 *
 * @param read returns at most `limit` rows.
 */
export async function* limitedList<Row>(
  limit: Limit,
  read: (limit: number) => Promise<readonly Row[]>,
): AsyncGenerator<Page<Row>> {
  const max = limit === 'all' ? MAX_ROWS : limit;
  // One row more than the limit tells whether the list goes on.
  yield* wholeList(await read(max + 1), max);
}

/** More rows than any store holds. */
const MAX_ROWS = 2 ** 31;

/** Collects rows into pages, so that a table can align them. */
export async function* inPages<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Page<Row>> {
  let page: Row[] = [];
  for await (const row of rows) {
    page.push(row);
    if (page.length < PAGE_SIZE) continue;
    yield { rows: page, cut: false };
    page = [];
  }
  yield { rows: page, cut: false };
}
