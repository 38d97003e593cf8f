import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { migrate } from '../../src/store/sqlite/file/migrate.ts';
import { IN_MEMORY, openDatabase } from '../../src/store/sqlite/file/open-database.ts';

let bytes: Buffer | undefined;
/** Where the bytes have the key that each store draws for itself. */
let keyAt = -1;

/** The bytes of a new SQLite store. Creating its tables takes ten times as long as copying them. */
export function emptyStore(): Buffer {
  if (bytes === undefined) {
    const database = openDatabase(IN_MEMORY);
    migrate(database);
    const key = database.prepare<[], Buffer>('select key from erasure_key').pluck().get();
    bytes = database.serialize();
    database.close();
    keyAt = key === undefined ? -1 : bytes.indexOf(key);
    if (keyAt === -1) throw new Error('an empty store has no key of its own');
  }
  randomBytes(32).copy(bytes, keyAt);
  return bytes;
}

/** Writes the file of a new store, which whoever opens it first gives a store id, and a reserve of one byte. */
export function writeEmptyStore(path: string): void {
  writeFileSync(path, emptyStore(), { mode: 0o600 });
  // Megabytes would be written for each test.
  writeFileSync(`${path}.reserve`, '0', { mode: 0o600 });
}

/** A database in memory with the tables of a new store. */
export function emptyDatabase(): Database {
  return new BetterSqlite3(emptyStore());
}
