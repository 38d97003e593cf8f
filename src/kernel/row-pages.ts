/** Reads lists in pages: page by page, all rows, or one page. */
import { setImmediate as nextTick } from 'node:timers/promises';

const PAGE = 500;

interface PageRequest {
  readonly limit: number;
  /** The id of the last row of the page before; none for the first page. */
  readonly after?: string;
}

interface PageOptions {
  /** Rows of a page; 500 by default. */
  readonly limit?: number;
  /** Runs between two pages; yields to the event loop by default. */
  readonly between?: () => Promise<unknown>;
}

/** Reads a list page by page. */
export async function* eachPage<Row extends { readonly id: string }>(
  read: (page: PageRequest) => Promise<readonly Row[]>,
  // Resolved promises alone would not let other work run.
  { limit = PAGE, between = nextTick }: PageOptions = {},
): AsyncGenerator<readonly Row[]> {
  for (let after: string | undefined; ; await between()) {
    const page = await read({ limit, ...(after !== undefined && { after }) });
    yield page;
    after = page.at(-1)?.id;
    if (page.length < limit) return;
  }
}

/** Reads all rows of a list, as {@link eachPage} does. */
export async function allRows<Row extends { readonly id: string }>(
  read: (page: PageRequest) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  return (await Array.fromAsync(eachPage(read))).flat();
}

/** A page of a list, and where the next begins: null after the last. */
export interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

/** Reads one page of a list. Reads one row more than its limit, to know whether there is a next page. */
export async function readPage<Row extends { readonly id: string }>(
  limit: number,
  after: string | undefined,
  read: (page: PageRequest) => Promise<readonly Row[]>,
): Promise<ListPage<Row>> {
  const found = await read({ limit: limit + 1, ...(after !== undefined && { after }) });
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? (rows.at(-1)?.id ?? null) : null };
}
