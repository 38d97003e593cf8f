/** Checks a file before it is restored. */
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { PortariaError } from '../../../kernel/errors.ts';
import { requireKnownSchema, schemaLevel } from '../file/migrate.ts';
import { storeError } from '../file/store-error.ts';

/** What a database holds. */
export interface CopyContent {
  readonly storeId: string;
  /** The level of its tables. */
  readonly schema: number;
  /** The number of rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
  /** When its newest event was received, in milliseconds since 1970; null without events. */
  readonly newestAt: number | null;
}

/** Reads what a database holds, in one read transaction or the caller's. It reads every row of `events`. */
export function contentOf(database: Database): CopyContent {
  const read = database.transaction((): CopyContent => {
    const tables = database
      .prepare<[], string>(
        "select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'",
      )
      .pluck()
      .all();
    const count = (table: string): number =>
      database.prepare<[], number>(`select count(*) from "${table}"`).pluck().get() ?? 0;
    return {
      storeId: database.prepare<[], string>('select installation from store').pluck().get() ?? '',
      schema: schemaLevel(database),
      rows: Object.fromEntries(tables.map((table) => [table, count(table)])),
      newestAt:
        database.prepare<[], number | null>('select max(received_at) from events').pluck().get() ?? null,
    };
  });
  return database.inTransaction ? read() : read.deferred();
}

/**
 * Opens a copy that no other process uses, after a full check of its pages.
 *
 * @throws PortariaError `store-corrupt` when it is damaged, empty or of another program, and `store-newer`
 */
export function openCopy(file: string, shownAs: string): Database {
  let database: Database | undefined;
  try {
    database = new BetterSqlite3(file);
    requireKnownSchema(database);
    if (schemaLevel(database) === 0)
      throw new PortariaError('store-corrupt', `${shownAs} is empty: name a backup of a database`);
    const found = database.pragma('integrity_check(1)', { simple: true });
    if (found !== 'ok')
      throw new PortariaError('store-corrupt', `${shownAs} is damaged (${String(found)}): use another copy`);
    return database;
  } catch (error) {
    database?.close();
    const failure = storeError(error, shownAs);
    // The path of the working copy means nothing to people.
    throw new PortariaError(failure.code, failure.message.replaceAll(file, shownAs), { cause: error });
  }
}

/** Waits until the file, or the names in its folder, are on the disk. */
export function syncToDisk(file: string): void {
  for (const path of [file, dirname(file)]) {
    const descriptor = openSync(path, path === file ? 'r+' : 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
}
