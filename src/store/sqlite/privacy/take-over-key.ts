/** Takes over the key of the database that a restored copy has replaced. */
import type { Database } from 'better-sqlite3';
import type { Ledger, Privacy } from '../../privacy.ts';
import { hasTable } from '../file/migrate.ts';
import { IN_MEMORY } from '../file/open-database.ts';
import { acquireOwnerLock } from '../file/owner-lock.ts';

/** The key of the database that a copy has replaced, and the ids of its store. */
type ReplacedKey = Pick<Ledger, 'storeIds'> & { readonly key: Uint8Array };

/** @param database a copy that may have a process that serves it */
export function createTakeOverKey(database: Database): Pick<Privacy, 'takeOverKey'> {
  return {
    async takeOverKey(replaced) {
      if (!isUnusedCopy(database, replaced)) return;
      const lock = database.name === IN_MEMORY ? undefined : acquireOwnerLock(database.name);
      try {
        database.transaction(takeOverKey).immediate(database, replaced);
      } finally {
        lock?.release();
      }
    },
  };
}

/**
 * Gives a copy the erasure key of the database that it replaces, if both are of one store and the copy's own key was
 * never used: a copy from before erasures has drawn another one just now.
 */
export function takeOverKey(copy: Database, replaced: ReplacedKey): void {
  if (isUnusedCopy(copy, replaced)) copy.prepare('update erasure_key set key = ?').run(replaced.key);
}

function isUnusedCopy(database: Database, { storeIds }: ReplacedKey): boolean {
  if (!storeIdsOf(database).some((storeId) => storeIds.includes(storeId))) return false;
  return database.prepare('select 1 from erasures limit 1').get() === undefined;
}

/** Returns the store ids under which a database has handed out ids. */
export function storeIdsOf(database: Database): readonly string[] {
  const former = hasTable(database, 'former_store_ids') ? ' union select store_id from former_store_ids' : '';
  return database.prepare<[], string>(`select installation from store${former}`).pluck().all();
}
