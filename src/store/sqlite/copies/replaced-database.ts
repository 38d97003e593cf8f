/** What a restored copy takes over from the database that it replaces: erasures and holds. */
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Ledger } from '../../privacy.ts';
import type { KnownDefinition } from '../../processes.ts';
import { openForReading } from '../file/open-database.ts';
import { hasTable, requireKnownSchema, schemaLevel } from '../file/migrate.ts';
import { storeError } from '../file/store-error.ts';
import { createProcessReads } from '../processes/process-records.ts';
import { createLedgerReads } from '../privacy/erasure-ledger.ts';
import { createHoldReads } from '../../shared/privacy/holds.ts';
import { readErasureKey } from '../privacy/keyed-digest.ts';
import { storeIdsOf, takeOverKey } from '../privacy/take-over-key.ts';
import { createQueryBuilder, createSqlReads } from '../sql/connection.ts';

/** What the database that a restore replaces knows of erasures and holds. */
export interface ReplacedLedger extends Ledger {
  readonly key: Uint8Array;
  /** What the process that served it knew; null when it is from before that was recorded. */
  readonly definitions: readonly KnownDefinition[] | null;
}

/**
 * Reads the ledger of a database that is to be replaced. Returns null when it is from
 * before erasures.
 *
 * @throws PortariaError when the file cannot be read
 */
export async function readReplacedLedger(file: string): Promise<ReplacedLedger | null> {
  if (!hasDatabaseHeader(file)) throw notSqlite(file);
  let database: Database | undefined;
  try {
    database = openForReading(file);
    if (!hasLedger(database)) return null;
    const query = createQueryBuilder(database);
    return {
      key: readErasureKey(database),
      storeIds: storeIdsOf(database),
      erasures: await createLedgerReads({ query }).erasures(),
      holds: await createHoldReads({ read: createSqlReads(database, query) }).holds(),
      definitions: hasTable(database, 'known_definitions')
        ? await createProcessReads({ query }).knownDefinitions()
        : null,
    };
  } catch (error) {
    throw storeError(error, file);
  } finally {
    database?.close();
  }
}

/**
 * Reads the ledger of a file that another process may use, and leaves the file as it is.
 *
 * @throws PortariaError `not-found` without a store in it, `store-corrupt` for another file, `store-newer`,
 *   `store-unsupported` for an unfinished copy
 */
export async function readFileLedger(file: string): Promise<Ledger> {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new PortariaError('not-found', `There is no database at ${file}`);
  if (!found.isFile()) throw notSqlite(file);
  if (found.size === 0) throw noStore(file);
  if (!hasDatabaseHeader(file)) throw notSqlite(file);
  requireStore(file);
  return (await readReplacedLedger(file)) ?? { key: null, storeIds: [], erasures: [], holds: [] };
}

function requireStore(file: string): void {
  const database = openForReading(file);
  try {
    requireKnownSchema(database);
    if (schemaLevel(database) === 0) throw noStore(file);
  } catch (error) {
    throw storeError(error, file);
  } finally {
    database.close();
  }
}

function noStore(file: string): PortariaError {
  return new PortariaError('not-found', `There is no store in ${file}: it is empty`);
}

function notSqlite(file: string): PortariaError {
  return new PortariaError('store-corrupt', `${file} is not an SQLite database`);
}

/** Gives a copy the erasure key of the database that it replaces, which may be damaged. */
export function takeOverKeyOf(copy: Database, replaced: string): void {
  if (!hasDatabaseHeader(replaced)) return;
  let database: Database | undefined;
  try {
    database = openForReading(replaced);
    if (!hasLedger(database)) return;
    takeOverKey(copy, { key: readErasureKey(database), storeIds: storeIdsOf(database) });
  } catch {
    // It may be replaced because it is damaged.
  } finally {
    database?.close();
  }
}

function hasLedger(database: Database): boolean {
  return ['erasure_key', 'erasures', 'holds'].every((table) => hasTable(database, table));
}

/** The store ids of the database to replace; none when it cannot be read. */
export function usedStoreIds(file: string): readonly string[] {
  if (!hasDatabaseHeader(file)) return [];
  let database: Database | undefined;
  try {
    database = openForReading(file);
    return storeIdsOf(database);
  } catch {
    return [];
  } finally {
    database?.close();
  }
}

/** SQLite deletes the log beside a file that is no database; it may be the only copy of its events. */
export function hasDatabaseHeader(file: string): boolean {
  if (!existsSync(file)) return false;
  const descriptor = openSync(file, 'r');
  try {
    const header = Buffer.alloc(16);
    readSync(descriptor, header);
    return header.toString('latin1') === 'SQLite format 3\0';
  } finally {
    closeSync(descriptor);
  }
}
