/** Migrates the provider's database. */
import type { Database } from 'better-sqlite3';
import { PortariaError } from '../../src/kernel/errors.ts';
import { allMigrations } from './all-migrations.ts';
import type { Migration } from './migration.ts';

/** SQLite's application id of provider files ("Flet" in ASCII). Receiver files have another. */
const APPLICATION_ID = 0x466c6574;

/**
 * Runs the migrations that a file lacks, in one transaction.
 *
 * @throws PortariaError `store-newer` when a later version wrote the file.
 */
export function migrate(database: Database, migrations: readonly Migration[] = allMigrations): void {
  database
    .transaction(() => {
      const level = database.pragma('user_version', { simple: true }) as number;
      rejectNewer(database, level, migrations.length);
      for (const { sql } of migrations.slice(level)) database.exec(sql);
      database.pragma(`application_id = ${String(APPLICATION_ID)}`);
      database.pragma(`user_version = ${String(migrations.length)}`);
    })
    .immediate();
}

/**
 * Checks, before any change, that a file is empty or a provider's.
 *
 * @throws PortariaError `store-corrupt` for the file of another program, the receiver's included.
 */
export function rejectForeign(database: Database): void {
  const id = database.pragma('application_id', { simple: true });
  const objects = database.prepare('select count(*) from sqlite_schema').pluck().get();
  if (id === APPLICATION_ID || (id === 0 && objects === 0)) return;
  throw new PortariaError(
    'store-corrupt',
    `${database.name} is not a provider database: name another file with --database`,
  );
}

function rejectNewer(database: Database, level: number, known: number): void {
  if (level <= known) return;
  throw new PortariaError(
    'store-newer',
    `${database.name} was written by a newer version (schema ${String(level)}, this version knows ` +
      `${String(known)}): run that version or a later one`,
  );
}
