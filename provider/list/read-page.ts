import type { Compilable } from 'kysely';
import type { Page } from '../../src/contract/api/page.ts';
import type { ListIds } from './list-ids.ts';

export interface PageSource<Row> {
  /** Whose records they are. */
  readonly organization: number;
  /** Selects the ids of all that match, in any order. */
  readonly ids: Compilable;
  /** What `ids` reads from. */
  readonly tables: readonly string[];
  /** The records with these ids, ascending as the ids are. */
  rows(ids: readonly number[]): Promise<readonly Row[]>;
}

export interface PageAnswer<Row> {
  readonly data: Row[];
  readonly pagination: { readonly page: number; readonly size: number };
  readonly total: number;
}

/** One page of a list, as the specification shapes it (Conventions 3). A page beyond the last is empty. */
export async function readPage<Row>(
  lists: ListIds,
  source: PageSource<Row>,
  { page, size }: Page,
): Promise<PageAnswer<Row>> {
  const ids = await lists.read(source.ids, source.tables, source.organization);
  const start = (page - 1) * size;
  const onPage = [...ids.subarray(start, start + size)];
  const rows = onPage.length === 0 ? [] : await source.rows(onPage);
  return { data: [...rows], pagination: { page, size }, total: ids.length };
}
