/** Reads lists of the provider page by page. */
import type { Endpoint } from '../contract/api/endpoint.ts';
import { MAX_PAGE_SIZE, type Query } from './query.ts';

/** The query parameters that select a page of an endpoint. */
export interface Paging {
  /** Name of the parameter for the page number. */
  readonly page: string;
  /** Name of the parameter for the page size. */
  readonly size: string;
  /** Records per page when the caller gives no size; null leaves it to the provider. */
  readonly defaultSize: number | null;
}

/** Returns null for an endpoint without pages. */
export function pagingOf({ filters, query }: Endpoint): Paging | null {
  if (filters !== null) return { page: 'page', size: 'size', defaultSize: MAX_PAGE_SIZE };
  // Appeals have their own parameters, and no documented maximum.
  if (Object.hasOwn(query.shape, 'page_size')) return { page: 'page', size: 'page_size', defaultSize: null };
  return null;
}

/** The part of a page that `allPages` reads. */
export interface ListPage {
  readonly data: readonly unknown[];
  readonly total?: unknown;
}

/**
 * Iterates over the records of all pages, and requests a page when the one
 * before is used up. The provider pages by number: a record that is added or
 * removed meanwhile shifts the others, so one can be missed or come twice.
 *
 * @param read requests one page
 */
export async function* allPages(
  { page, size, defaultSize }: Paging,
  query: Query,
  read: (query: Query) => Promise<ListPage>,
): AsyncGenerator<unknown, void, undefined> {
  const sized = { ...query, [size]: query[size] ?? defaultSize ?? undefined };
  let seen = 0;
  for (let number = 1; ; number += 1) {
    const { data, total } = await read({ ...sized, [page]: number });
    yield* data;
    // Count records, not pages of the requested size: the provider may return fewer.
    seen += data.length;
    if (data.length === 0 || (typeof total === 'number' && seen >= total)) return;
  }
}
