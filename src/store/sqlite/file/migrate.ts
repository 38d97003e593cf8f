import type { Database } from 'better-sqlite3';
import { PortariaError } from '../../../kernel/errors.ts';
import { allMigrations } from './migrations/all-migrations.ts';
import type { Migration } from './migrations/migration.ts';

/** Marks the file as Portaria's ("Port" in ASCII), in SQLite's header. */
const APPLICATION_ID = 0x506f7274;

/** How many migrations the file has had. Kept in SQLite's header, so it moves with the transaction. */
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
 * Brings the file to the present schema. All steps are one transaction: a
 * process killed in the middle leaves the file as it was.
 */
export function migrate(database: Database, migrations: readonly Migration[] = allMigrations): void {
  database
    .transaction(() => {
      // Read again under the lock: another process may have been faster.
      for (const migration of migrations.slice(schemaLevel(database))) {
        database.exec(migration.sql);
        database.pragma(`user_version = ${String(migration.level)}`);
      }
      database.pragma(`application_id = ${String(APPLICATION_ID)}`);
    })
    .immediate();
}

/**
 * Looks before anything is changed.
 *
 * @throws PortariaError `store-newer` when a later version of Portaria made the
 *   file, `store-corrupt` when another program did.
 */
export function refuseUnknownSchema(
  database: Database,
  migrations: readonly Migration[] = allMigrations,
): void {
  if (!isOurs(database)) {
    throw new PortariaError(
      'store-corrupt',
      `${database.name} is a database of another program: set PORTARIA_DATABASE to a file of its own`,
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

/** An empty file is ours to fill. */
function isOurs(database: Database): boolean {
  const id = database.pragma('application_id', { simple: true });
  const objects = database.prepare('select count(*) from sqlite_schema').pluck().get();
  return id === APPLICATION_ID || (id === 0 && objects === 0);
}
