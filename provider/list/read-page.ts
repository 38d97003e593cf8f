/** Reads a page of a list. */
import { CompiledQuery, type Compilable, type Kysely, type QueryExecutorProvider } from 'kysely';
import type { Page } from '../../src/contract/api/response.ts';

/** The records that a list endpoint pages through. */
export interface PageSource<Row> {
  /** Selects the integer ids of all matching records, in any order, as its only column. */
  readonly ids: Compilable;
  /** Whether the index that finds the ids has them in ascending order, as without filters. False by default. */
  readonly inOrder?: boolean;
  /** Reads the records with these ids, in ascending order of id. */
  rows(ids: readonly number[]): Promise<readonly Row[]>;
}

/** The body of a list response (specification, Conventions 3). */
export interface PageResponse<Row> {
  readonly data: Row[];
  readonly pagination: { readonly page: number; readonly size: number };
  /** Number of matching records on all pages. */
  readonly total: number;
}

/**
 * Reads one page of a list, in ascending order of id. A page beyond the last one is empty.
 *
 * @param page counts from 1.
 */
export async function readPage<Row>(
  query: QueryExecutorProvider,
  source: PageSource<Row>,
  { page, size }: Page,
): Promise<PageResponse<Row>> {
  const { total, ids } = await readIds(query, source, { limit: size, offset: (page - 1) * size });
  const rows = ids.length === 0 ? [] : await source.rows(ids);
  return { data: [...rows], pagination: { page, size }, total };
}

/** Counts and reads on one connection, so that no change falls between the two. */
function readIds(
  query: QueryExecutorProvider,
  { ids: matching, inOrder = false }: Pick<PageSource<unknown>, 'ids' | 'inOrder'>,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly total: number; readonly ids: readonly number[] }> {
  const { sql, parameters } = matching.compile();
  return (query as Kysely<unknown>).connection().execute(async (connection) => {
    const counted = await connection.executeQuery<{ total: number }>(
      CompiledQuery.raw(`select count(*) as total from (${sql})`, [...parameters]),
    );
    // The unary plus keeps SQLite from walking all records in the order of their ids:
    // it finds the matching ones by an index, and sorts them. Without filters it walks to the page's end.
    const order = inOrder ? 'id' : '+id';
    const paged = await connection.executeQuery<{ id: number }>(
      CompiledQuery.raw(
        `with matching (id) as (${sql}) select id from matching order by ${order} limit ? offset ?`,
        [...parameters, limit, offset],
      ),
    );
    return {
      total: counted.rows[0]?.total ?? 0,
      ids: paged.rows.map(({ id }) => id),
    };
  });
}
