import type { Paging } from './paging.ts';
import type { Query } from './query-text.ts';

/** A page, as far as it matters here. */
export interface ListPage {
  readonly data: readonly unknown[];
  readonly total?: unknown;
}

/**
 * The records of all pages, each page asked for when the one before is used
 * up. The provider pages by number: what is added or removed meanwhile moves
 * the rest, so that a record can be missed or come twice.
 *
 * @param read asks for one page.
 */
export async function* allPages(
  { page, size, usualSize }: Paging,
  query: Query,
  read: (query: Query) => Promise<ListPage>,
): AsyncGenerator<unknown, void, undefined> {
  const asked = { ...query, [size]: query[size] ?? usualSize ?? undefined };
  let seen = 0;
  for (let number = 1; ; number += 1) {
    const { data, total } = await read({ ...asked, [page]: number });
    yield* data;
    seen += data.length;
    // By what came, not by the size asked for: the provider may give fewer.
    if (data.length === 0 || (typeof total === 'number' && seen >= total)) return;
  }
}
