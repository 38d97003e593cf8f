import { setImmediate as nextTick } from 'node:timers/promises';

const PAGE = 500;

type ReadPage<Row> = (page: {
  readonly order: 'oldest';
  readonly limit: number;
  readonly after?: string;
}) => Promise<readonly Row[]>;

/** Reads a list page by page, oldest first, and yields to the event loop between pages. */
export async function* eachPage<Row extends { readonly id: string }>(
  read: ReadPage<Row>,
  limit = PAGE,
): AsyncGenerator<readonly Row[]> {
  for (let after: string | undefined; ;) {
    const page = await read({ order: 'oldest', limit, ...(after !== undefined && { after }) });
    yield page;
    after = page.at(-1)?.id;
    if (page.length < limit) return;
    // Resolved promises alone would not let other work run.
    await nextTick();
  }
}

/** Reads all rows of a list, as {@link eachPage} does. */
export async function allRows<Row extends { readonly id: string }>(
  read: ReadPage<Row>,
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
  read: (page: { readonly limit: number; readonly after?: string }) => Promise<readonly Row[]>,
): Promise<ListPage<Row>> {
  const found = await read({ limit: limit + 1, ...(after !== undefined && { after }) });
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? (rows.at(-1)?.id ?? null) : null };
}
