/** What a restored copy takes over from the database that it replaces: erasures and holds. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { PortariaError } from '../../../kernel/errors.ts';
import type { ErasureRecord, Hold } from '../../privacy.ts';
import type { KnownDefinition } from '../../processes.ts';
import { openForReading } from '../file/open-database.ts';
import { storeError } from '../file/store-error.ts';
import { createProcessReads } from '../processes/process-records.ts';
import { createLedgerReads } from '../../shared/privacy/erasure-ledger.ts';
import { createHoldReads } from '../../shared/privacy/holds.ts';
import { readErasureKey } from '../privacy/keyed-digest.ts';
import { createQueryBuilder, createSqlReads } from '../sql/connection.ts';

/** What the database that a restore replaces knows of erasures and holds. */
export interface ReplacedLedger {
  /** The key of the hashes. */
  readonly key: Uint8Array;
  readonly erasures: readonly ErasureRecord[];
  readonly holds: readonly Hold[];
  /** What the process that served it knew. */
  readonly definitions: readonly KnownDefinition[];
}

/**
 * Reads the ledger of a database that is to be replaced.
 *
 * @throws PortariaError when the file cannot be read
 */
export async function readReplacedLedger(file: string): Promise<ReplacedLedger> {
  if (!hasDatabaseHeader(file)) throw new PortariaError('store-corrupt', `${file} is not an SQLite database`);
  let database: Database | undefined;
  try {
    database = openForReading(file);
    const query = createQueryBuilder(database);
    const read = createSqlReads(database, query);
    return {
      key: readErasureKey(database),
      erasures: await createLedgerReads({ read }).erasures(),
      holds: await createHoldReads({ read }).holds(),
      definitions: await createProcessReads({ query }).knownDefinitions(),
    };
  } catch (error) {
    throw storeError(error, file);
  } finally {
    database?.close();
  }
}

/** Returns the store ids under which a database has handed out ids. */
export function storeIdsOf(database: Database): readonly string[] {
  return database
    .prepare<[], string>('select installation from store union select store_id from former_store_ids')
    .pluck()
    .all();
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
