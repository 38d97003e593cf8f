import { hash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { Compilable, Kysely } from 'kysely';
import { KEPT_CHANGES } from './kept-changes.ts';
import { patchedIds } from './patched-ids.ts';
import { createRememberedLists, type MemoryBounds, type RememberedList } from './remembered-lists.ts';

/** What is remembered: 8 bytes for each id, and a kilobyte for each list. */
const BOUNDS: MemoryBounds = { maxBytes: 64_000_000, maxListsOfOrganization: 1_000 };

/** The ids of a list, ascending, remembered as long as its tables do not change. */
export interface ListIds {
  /**
   * @param query selects one column of whole numbers, in any order: asked for one, SQLite prefers an
   *   index that has it over the index that finds them.
   * @param tables all that the query reads, that of the records listed first; each counts its revisions.
   * @param organization whose records they are: each is remembered only so much of.
   */
  read(query: Compilable, tables: readonly string[], organization: number): Promise<Float64Array>;
}

/**
 * Makes every page of a list cost the same, however deep, and `total` nothing:
 * SQLite would walk through all records before the page, and through all that
 * match to count them. Filters cost once; after a change they are asked again of
 * the records that have changed.
 */
export function createListIds<Tables>(
  { sqlite, query }: { readonly sqlite: Database; readonly query: Kysely<Tables> },
  bounds = BOUNDS,
): ListIds {
  const remembered = createRememberedLists(bounds);
  const revision = sqlite
    .prepare<[string], number>('select revision from list_revisions where table_name = ?')
    .pluck();
  const changedSince = sqlite
    .prepare<[string, number], number>(
      'select distinct record_id from list_changes where table_name = ? and revision > ? order by record_id',
    )
    .pluck();

  return {
    // In turn with transactions: what one of them may still take back must not be remembered.
    read: (list, tables, organization) =>
      query.connection().execute(async () => readNow(list, tables, organization)),
  };

  function readNow(wanted: Compilable, tables: readonly string[], organization: number): Float64Array {
    const { sql, parameters } = wanted.compile();
    // A digest: filters can be as long as a request.
    const key = hash('sha256', JSON.stringify([sql, parameters]), 'base64');
    const revisions = tables.map((table) => revisionOf(table));
    const known = remembered.get(organization, key);
    const ids = (known && upToDate(known, revisions, { sql, parameters, tables })) ?? idsOf(sql, parameters);
    // Also when it is known: it is the last one used now.
    remembered.set(organization, key, { revisions, ids });
    return ids;
  }

  /** Undefined where too much has happened since. */
  function upToDate(
    { ids, revisions: before }: RememberedList,
    revisions: readonly number[],
    list: {
      readonly sql: string;
      readonly parameters: readonly unknown[];
      readonly tables: readonly string[];
    },
  ): Float64Array | undefined {
    const behind = revisions.map((revision, at) => revision - (before[at] ?? 0));
    const [own = 0, ...others] = behind;
    if (own > KEPT_CHANGES || others.some((count) => count !== 0)) return undefined;
    if (own === 0) return ids;
    const changed = changedSince.all(list.tables[0] ?? '', before[0] ?? 0);
    return patchedIds(ids, changed, new Set(matchingAmong(changed, list)));
  }

  function matchingAmong(
    changed: readonly number[],
    { sql, parameters }: { readonly sql: string; readonly parameters: readonly unknown[] },
  ): number[] {
    // In this order the few are looked up in the many, never the other way round.
    const few =
      'select listed.id from json_each(?) as changed cross join listed on listed.id = changed.value';
    return sqlite
      .prepare<unknown[], number>(`with listed (id) as (${sql}) ${few}`)
      .pluck()
      .all(...parameters, JSON.stringify(changed));
  }

  function idsOf(sql: string, parameters: readonly unknown[]): Float64Array {
    const ids = Float64Array.from(
      sqlite
        .prepare<unknown[], number>(sql)
        .pluck()
        .all(...parameters),
    );
    // Sorting what is sorted would cost as much as reading it.
    return ids.every((id, at) => at === 0 || id >= (ids[at - 1] ?? 0)) ? ids : ids.sort();
  }

  function revisionOf(table: string): number {
    const found = revision.get(table);
    if (found === undefined) throw new TypeError(`table ${table} does not count its revisions`);
    return found;
  }
}
