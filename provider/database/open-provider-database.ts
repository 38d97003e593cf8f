/** Opens the provider's SQLite file. */
import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { Kysely } from 'kysely';
import { PortariaError } from '../../src/kernel/errors.ts';
import { createPrivateFile, makePrivate } from '../../src/kernel/files/private-files.ts';
import { createTables, rejectForeign } from './create-tables.ts';
import { ImmediateDialect } from './immediate-dialect.ts';
import { keepPrepared } from './prepared-statements.ts';
import type { ProviderTables } from './provider-tables.ts';
import { restoreIndexes } from './set-aside-indexes.ts';

/** Milliseconds that a write waits for the write of another process. */
const BUSY_TIMEOUT_MS = 2_000;

const IN_MEMORY = ':memory:';

export interface ProviderDatabase {
  /** For statements that Kysely cannot express. */
  readonly sqlite: Database;
  readonly query: Kysely<ProviderTables>;
}

/**
 * Opens the provider's database and creates its tables in a new file. Creates a missing folder (0700) and file
 * (0600): the file holds signing secrets in plain text.
 *
 * @param path file, or `:memory:`, or the bytes of a database, which stays in memory.
 * @param onWarning called once when other users could open the file.
 * @throws PortariaError `store-corrupt`, `store-newer`, `store-failed`
 */
export function openProviderDatabase(
  path: string | Buffer,
  onWarning?: (warning: string) => void,
): ProviderDatabase {
  const file = typeof path !== 'string' || path === IN_MEMORY ? null : resolve(path);
  let sqlite: Database | undefined;
  try {
    if (file !== null) prepareFile(file);
    sqlite = new BetterSqlite3(file ?? path, { timeout: BUSY_TIMEOUT_MS });
    rejectForeign(sqlite);
    const warning = file === null ? null : makePrivate(realpathSync(file));
    if (warning !== null) onWarning?.(warning);
    configure(sqlite);
    createTables(sqlite);
    restoreIndexes(sqlite);
    gatherStatistics(sqlite);
  } catch (error) {
    sqlite?.close();
    if (PortariaError.is(error)) throw error;
    throw new PortariaError('store-failed', `cannot use ${file ?? IN_MEMORY} as the provider's database`, {
      cause: error,
    });
  }
  return {
    sqlite,
    query: new Kysely<ProviderTables>({
      dialect: new ImmediateDialect(keepPrepared(sqlite)),
    }),
  };
}

function prepareFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  createPrivateFile(file);
}

/**
 * Gathers statistics, by which SQLite chooses indexes, for tables that have grown. A
 * sample of each table takes milliseconds.
 */
function gatherStatistics(sqlite: Database): void {
  sqlite.pragma('analysis_limit = 400');
  sqlite.pragma('optimize = 0x10002');
}

/** `synchronous = normal` may lose the last transactions in a power failure, which a stand-in can afford. */
function configure(sqlite: Database): void {
  sqlite.pragma('journal_mode = wal');
  sqlite.pragma('synchronous = normal');
  sqlite.pragma('foreign_keys = on');
  sqlite.pragma('temp_store = memory');
}
