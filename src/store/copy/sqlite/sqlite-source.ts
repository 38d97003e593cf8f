/** A store in SQLite that is copied. */
import { realpathSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import { sqliteDialect } from '../../sqlite/sql/dialect.ts';
import { perform } from '../../sqlite/sql/perform.ts';
import { rowOf } from '../../shared/ids.ts';
import { appendAudit } from '../../shared/audit/audit-writes.ts';
import { migrate, needsMigration, schemaLevel } from '../../sqlite/file/migrate.ts';
import { openDatabase } from '../../sqlite/file/open-database.ts';
import { acquireOwnerLock } from '../../sqlite/file/owner-lock.ts';
import { storeError, withStoreErrors } from '../../sqlite/file/store-error.ts';
import { createConnection } from '../../sqlite/sql/connection.ts';
import type { CopySource } from '../copy-side.ts';
import { createSqliteReads } from './sqlite-rows.ts';

/**
 * Opens a store in SQLite to copy it. Until it is closed it has no other owner, and no command writes it: what is
 * accepted or changed meanwhile would be missing in the copy.
 *
 * @throws PortariaError `store-locked` while a process owns it, `store-busy` while a command writes it
 */
export async function openSqliteSource(path: string, clock: Clock): Promise<CopySource> {
  const file = realpathSync(path);
  const lock = acquireOwnerLock(file);
  let database: Database | undefined;
  try {
    database = openDatabase(file);
    requireStore(database);
    if (needsMigration(database)) migrate(database);
    database.exec('begin immediate');
    return sourceOf(database, clock, () => lock.release());
  } catch (error) {
    database?.close();
    lock.release();
    throw storeError(error, file);
  }
}

function requireStore(database: Database): void {
  if (schemaLevel(database) > 0) return;
  throw new PortariaError('not-found', `There is no store in ${database.name}: check PORTARIA_DATABASE`);
}

function sourceOf(database: Database, clock: Clock, release: () => void): CopySource {
  const connection = createConnection(database, '', clock);
  const location = database.name;
  return {
    location,
    isPostgres: false,
    ...withStoreErrors(
      {
        ...createSqliteReads(database),
        appendAudit: async (entry) =>
          BigInt(rowOf('u', perform(connection, appendAudit(sqliteDialect, entry))) ?? 0),
        async commit() {
          database.exec('commit');
        },
        async close() {
          if (!database.open) return;
          if (database.inTransaction) database.exec('rollback');
          database.close();
          release();
        },
      } satisfies Omit<CopySource, 'location' | 'isPostgres'>,
      location,
    ),
  };
}
