/** Creates and migrates the tables. */
import type { Database } from 'better-sqlite3';
import { PortariaError } from '../../../kernel/errors.ts';
import { errorFingerprint } from '../../shared/failure-group.ts';
import { problemOf } from '../../shared/quarantine/problem-fingerprint.ts';
import type { Migration } from './migration.ts';
import { migrations as allMigrations } from './migrations.ts';

/** Identifies the file as Portaria's ("Port" in ASCII), in SQLite's header. */
const APPLICATION_ID = 0x506f7274;

/** Whether a database has a table; one of an older version may lack it. */
export function hasTable(database: Database, table: string): boolean {
  const found = database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(table);
  return found !== undefined;
}

/** Returns the number of migrations applied to the file. SQLite's header stores it, so a rollback resets it. */
export function schemaLevel(database: Database): number {
  return database.pragma('user_version', { simple: true }) as number;
}

/** Whether `migrate` would change the file. */
export function needsMigration(
  database: Database,
  migrations: readonly Migration[] = allMigrations,
): boolean {
  return schemaLevel(database) < migrations.length;
}

/**
 * Updates the file to the current schema, in one transaction: a process killed
 * in the middle leaves the file as it was.
 */
export function migrate(database: Database, migrations: readonly Migration[] = allMigrations): void {
  database.function('error_fingerprint', { deterministic: true }, (error) => errorFingerprint(String(error)));
  database.function('problem_fingerprint', { deterministic: true, varargs: true }, problemOf);
  database
    .transaction(() => {
      // Read the level again under the lock: another process may have migrated the file.
      for (const migration of migrations.slice(schemaLevel(database))) {
        database.exec(migration.sql);
        database.pragma(`user_version = ${String(migration.level)}`);
      }
      database.pragma(`application_id = ${String(APPLICATION_ID)}`);
    })
    .immediate();
}

/**
 * Checks that this version can use the file, before anything is changed.
 *
 * @throws PortariaError `store-newer` for a file of a later version of Portaria,
 *   `store-corrupt` for a file of another program.
 */
export function requireKnownSchema(
  database: Database,
  migrations: readonly Migration[] = allMigrations,
): void {
  if (!isOurs(database)) {
    throw new PortariaError(
      'store-corrupt',
      `${database.name} is a database of another program: set PORTARIA_DATABASE, or the argument that ` +
        "named it, to a file of Portaria's own",
    );
  }
  const level = schemaLevel(database);
  if (level > migrations.length) {
    throw new PortariaError(
      'store-newer',
      `${database.name} was made by a newer version of Portaria (schema ${String(level)}, this version ` +
        `knows ${String(migrations.length)}): run that version or a later one`,
    );
  }
}

/** An empty database counts as Portaria's. */
function isOurs(database: Database): boolean {
  const id = database.pragma('application_id', { simple: true });
  const objects = database.prepare('select count(*) from sqlite_schema').pluck().get();
  return id === APPLICATION_ID || (id === 0 && objects === 0);
}
