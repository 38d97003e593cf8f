import type { Endpoint } from '../contract/api/endpoint.ts';
import { MAX_PAGE } from './query-text.ts';

/** How an endpoint is asked for one page after another. */
export interface Paging {
  /** Names in its query. */
  readonly page: string;
  readonly size: string;
  /** Records on a page when nothing is asked; null leaves it to the provider. */
  readonly usualSize: number | null;
}

/** Null for an endpoint that answers no pages. */
export function pagingOf({ filters, query }: Endpoint): Paging | null {
  if (filters !== null) return { page: 'page', size: 'size', usualSize: MAX_PAGE };
  // Appeals have parameters of their own, and no limit that is known.
  if (Object.hasOwn(query.shape, 'page_size')) return { page: 'page', size: 'page_size', usualSize: null };
  return null;
}
