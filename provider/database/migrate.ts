import type { Database } from 'better-sqlite3';
import { PortariaError } from '../../src/kernel/errors.ts';
import { allMigrations } from './all-migrations.ts';
import type { Migration } from './migration.ts';

/** Marks the file as the provider's ("Flet" in ASCII), so that it is not taken for the receiver's. */
const APPLICATION_ID = 0x466c6574;

/**
 * Brings the file to the present tables, all steps in one transaction: a process
 * killed in the middle leaves the file as it was.
 *
 * @throws PortariaError `store-newer` when a later version of the provider made it.
 */
export function migrate(database: Database, migrations: readonly Migration[] = allMigrations): void {
  database
    .transaction(() => {
      const level = database.pragma('user_version', { simple: true }) as number;
      refuseNewer(database, level, migrations.length);
      for (const { sql } of migrations.slice(level)) database.exec(sql);
      database.pragma(`application_id = ${String(APPLICATION_ID)}`);
      database.pragma(`user_version = ${String(migrations.length)}`);
    })
    .immediate();
}

/**
 * Looks before anything is changed; an empty file is ours to fill.
 *
 * @throws PortariaError `store-corrupt` when another program made the file, the receiver's included.
 */
export function refuseForeign(database: Database): void {
  const id = database.pragma('application_id', { simple: true });
  const objects = database.prepare('select count(*) from sqlite_schema').pluck().get();
  if (id === APPLICATION_ID || (id === 0 && objects === 0)) return;
  throw new PortariaError(
    'store-corrupt',
    `${database.name} is not a database of the provider: name another with --database`,
  );
}

function refuseNewer(database: Database, level: number, known: number): void {
  if (level <= known) return;
  throw new PortariaError(
    'store-newer',
    `${database.name} was made by a newer version (tables ${String(level)}, this version knows ` +
      `${String(known)}): run that version or a later one`,
  );
}
