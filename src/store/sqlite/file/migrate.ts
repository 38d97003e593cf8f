/** Creates and migrates the tables. */
import type { Database } from 'better-sqlite3';
import { PortariaError } from '../../../kernel/errors.ts';
import { olderStore } from '../../shared/error-meaning.ts';
import { levelOf, migrations as allMigrations, type Migration } from './migrations.ts';

/** Identifies the file as Portaria's ("Port" in ASCII), in SQLite's header. */
const APPLICATION_ID = 0x506f7274;

/** Returns the level of the file, 0 without tables. SQLite's header stores it, so a rollback resets it. */
export function schemaLevel(database: Database): number {
  return database.pragma('user_version', { simple: true }) as number;
}

/** Whether `migrate` would change the file. */
export function needsMigration(
  database: Database,
  migrations: readonly Migration[] = allMigrations,
): boolean {
  return schemaLevel(database) < levelOf(migrations);
}

/**
 * Updates the file to the current schema, in one transaction: a process killed
 * in the middle leaves the file as it was.
 */
export function migrate(database: Database, migrations: readonly Migration[] = allMigrations): void {
  database
    .transaction(() => {
      // Read the level again under the lock: another process may have migrated the file.
      const found = schemaLevel(database);
      for (const { level, sql } of migrations) {
        if (level <= found) continue;
        database.exec(sql);
        database.pragma(`user_version = ${String(level)}`);
      }
      database.pragma(`application_id = ${String(APPLICATION_ID)}`);
    })
    .immediate();
}

/**
 * Checks that this version can use the file, before anything is changed.
 *
 * @throws PortariaError `store-newer` for a file of a later version of Portaria, `store-unsupported` for one of a
 *   version before 1.0, `store-corrupt` for a file of another program.
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
  if (level > 0 && level < (migrations[0]?.level ?? 0)) throw olderStore(database.name);
  if (level > levelOf(migrations)) {
    throw new PortariaError(
      'store-newer',
      `${database.name} was made by a newer version of Portaria (schema ${String(level)}, this version ` +
        `knows ${String(levelOf(migrations))}): run that version or a later one`,
    );
  }
}

/** An empty database counts as Portaria's. */
function isOurs(database: Database): boolean {
  const id = database.pragma('application_id', { simple: true });
  const objects = database.prepare('select count(*) from sqlite_schema').pluck().get();
  return id === APPLICATION_ID || (id === 0 && objects === 0);
}
