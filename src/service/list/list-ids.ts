import type { Database } from 'better-sqlite3';
import type { Compilable, Kysely } from 'kysely';

/** Ids that are remembered in all, 8 bytes each; the lists used longest ago go first. */
const MOST_IDS = 8_000_000;

interface Remembered {
  readonly revisions: string;
  readonly ids: Float64Array;
}

/** The ids of a list, ascending, remembered as long as its tables do not change. */
export interface ListIds {
  /**
   * @param query selects one column of whole numbers, in any order: asked for one, SQLite prefers an
   *   index that has it over the index that finds them.
   * @param tables all that the query reads; each counts its revisions.
   */
  read(query: Compilable, tables: readonly string[]): Promise<Float64Array>;
}

/**
 * Makes every page of a list cost the same, however deep, and `total` nothing:
 * SQLite would walk through all records before the page, and through all that
 * match to count them. Filters cost once, and again after a change.
 */
export function createListIds<Tables>(
  { sqlite, query }: { readonly sqlite: Database; readonly query: Kysely<Tables> },
  mostIds = MOST_IDS,
): ListIds {
  const remembered = new Map<string, Remembered>();
  const revision = sqlite
    .prepare<[string], number>('select revision from list_revisions where table_name = ?')
    .pluck();
  let held = 0;

  function forget(key: string): void {
    held -= remembered.get(key)?.ids.length ?? 0;
    remembered.delete(key);
  }

  function remember(key: string, list: Remembered): void {
    forget(key);
    remembered.set(key, list);
    held += list.ids.length;
    for (const oldest of remembered.keys()) {
      if (held <= mostIds || oldest === key) break;
      forget(oldest);
    }
  }

  return {
    // In turn with transactions: what one of them may still take back must not be remembered.
    read: (list, tables) => query.connection().execute(async () => readNow(list, tables)),
  };

  function readNow(wanted: Compilable, tables: readonly string[]): Float64Array {
    const { sql, parameters } = wanted.compile();
    const key = JSON.stringify([sql, parameters]);
    const revisions = tables.map((table) => revisionOf(table)).join();
    const known = remembered.get(key);
    const list = known?.revisions === revisions ? known : { revisions, ids: idsOf(sql, parameters) };
    // Also when it is known: a map keeps the order of insertion, so the last one used is the last.
    remember(key, list);
    return list.ids;
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
