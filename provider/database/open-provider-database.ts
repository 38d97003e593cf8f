/** Opens the provider's SQLite file. */
import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import '../../src/kernel/files/sqlite-rows.ts';
import {
  Kysely,
  SqliteDialect,
  SqliteDriver,
  type Driver,
  type SqliteDatabase,
  type SqliteStatement,
} from 'kysely';
import { PortariaError } from '../../src/kernel/errors.ts';
import { createPrivateFile, makePrivate } from '../../src/kernel/files/private-files.ts';
import { type ProviderTables, providerTables } from './provider-tables.ts';

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

/**
 * Kysely's SQLite dialect with immediate transactions. A deferred transaction fails when
 * another process (a command) writes between its first read and its first write.
 */
class ImmediateDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    super({ database });
    this.#database = database;
  }

  override createDriver(): Driver {
    return new ImmediateDriver(this.#database);
  }
}

/** Runs the transaction statements directly: Kysely has no hook for `begin immediate`. */
class ImmediateDriver extends SqliteDriver {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    super({ database });
    this.#database = database;
  }

  override async beginTransaction(): Promise<void> {
    this.#run('begin immediate');
  }

  override async commitTransaction(): Promise<void> {
    this.#run('commit');
  }

  override async rollbackTransaction(): Promise<void> {
    this.#run('rollback');
  }

  #run(sql: string): void {
    this.#database.prepare(sql).run([]);
  }
}

/** Number of statements that stay prepared: those of all endpoints, and many combinations of filters. */
const MAX_STATEMENTS = 500;

/**
 * Wraps a database so that it prepares each statement once: preparing the statements of a list takes as long as
 * running them. Beyond `max` statements the one that has not been used for the longest time is dropped.
 *
 * @param max number of statements to keep
 */
export function keepPrepared(database: Database, max = MAX_STATEMENTS): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    prepare(sql) {
      const statement = statements.get(sql) ?? database.prepare(sql);
      // A map keeps the order of insertion: the first entry is the one unused for the longest time.
      statements.delete(sql);
      statements.set(sql, statement);
      const [oldest] = statements.keys();
      if (statements.size > max && oldest !== undefined) statements.delete(oldest);
      return statement;
    },
    close() {
      statements.clear();
      database.close();
    },
  };
}

/** SQLite's application id of provider files ("Flet" in ASCII). Receiver files have another. */
const APPLICATION_ID = 0x466c6574;

/** Level of the schema. A file of another level is not converted: its data are invented. */
const LEVEL = 1;

/**
 * Creates the tables in an empty file.
 *
 * @throws PortariaError `store-newer` when another version wrote the file.
 */
function createTables(database: Database): void {
  database
    .transaction(() => {
      const level = database.pragma('user_version', { simple: true });
      if (level === LEVEL) return;
      if (level !== 0)
        throw new PortariaError(
          'store-newer',
          `${database.name} was written by another version (schema ${String(level)}, this version has ` +
            `${String(LEVEL)}): run that version, or name a new file with --database and seed it`,
        );
      for (const { sql } of providerTables) database.exec(sql);
      database.pragma(`application_id = ${String(APPLICATION_ID)}`);
      database.pragma(`user_version = ${String(LEVEL)}`);
    })
    .immediate();
}

/**
 * Checks, before any change, that a file is empty or a provider's.
 *
 * @throws PortariaError `store-corrupt` for the file of another program, the receiver's included.
 */
function rejectForeign(database: Database): void {
  const id = database.pragma('application_id', { simple: true });
  const objects = database.prepare('select count(*) from sqlite_schema').pluck().get();
  if (id === APPLICATION_ID || (id === 0 && objects === 0)) return;
  throw new PortariaError(
    'store-corrupt',
    `${database.name} is not a provider database: name another file with --database`,
  );
}
