/** How many rows a list shows. */
export type Limit = number | 'all';

/** Rows read from the store at a time. */
const PAGE_SIZE = 500;

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Whether the limit cut the list after this page. */
  readonly cut: boolean;
}

/**
 * Reads a list page by page, so that memory stays small however long it is.
 *
 * @param read the next rows after the row named `after`, `limit` at most.
 */
export async function* pages<Row extends { readonly id: string }>(
  limit: Limit,
  read: (page: { readonly limit: number; readonly after?: string }) => Promise<readonly Row[]>,
): AsyncGenerator<Page<Row>> {
  let left = limit === 'all' ? Infinity : limit;
  let after: string | undefined;
  for (;;) {
    const size = Math.min(left, PAGE_SIZE);
    // One more than shown tells whether there is more.
    const found = await read({ limit: size + 1, ...(after === undefined ? {} : { after }) });
    const rows = found.slice(0, size);
    left -= rows.length;
    const more = found.length > size;
    yield { rows, cut: more && left === 0 };
    if (!more || left === 0) return;
    after = rows.at(-1)?.id;
  }
}

/** The same pages with each row as it is shown. */
export async function* viewed<Row, View>(
  list: AsyncIterable<Page<Row>>,
  view: (row: Row) => View,
): AsyncGenerator<Page<View>> {
  for await (const { rows, cut } of list) yield { rows: rows.map(view), cut };
}

/** A list that is in memory anyway. */
export async function* wholeList<Row>(rows: readonly Row[], limit: Limit = 'all'): AsyncGenerator<Page<Row>> {
  const most = limit === 'all' ? rows.length : Math.min(limit, rows.length);
  for (let start = 0; start < most; start += PAGE_SIZE) {
    const end = Math.min(start + PAGE_SIZE, most);
    yield await Promise.resolve({ rows: rows.slice(start, end), cut: end === most && most < rows.length });
  }
}

/** Rows that come one by one, gathered into pages so that tables can align them. */
export async function* inPages<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Page<Row>> {
  let gathered: Row[] = [];
  for await (const row of rows) {
    gathered.push(row);
    if (gathered.length < PAGE_SIZE) continue;
    yield { rows: gathered, cut: false };
    gathered = [];
  }
  yield { rows: gathered, cut: false };
}
