/** Creates the tables of a new provider file, and rejects the files of others. */
import type { Database } from 'better-sqlite3';
import { PortariaError } from '../../src/kernel/errors.ts';
import { providerTables } from './provider-tables.ts';

/** SQLite's application id of provider files ("Flet" in ASCII). Receiver files have another. */
const APPLICATION_ID = 0x466c6574;

/** Level of the schema. A file of another level is not converted: its data are invented. */
const LEVEL = 1;

/**
 * Creates the tables in an empty file.
 *
 * @throws PortariaError `store-newer` when another version wrote the file.
 */
export function createTables(database: Database): void {
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
export function rejectForeign(database: Database): void {
  const id = database.pragma('application_id', { simple: true });
  const objects = database.prepare('select count(*) from sqlite_schema').pluck().get();
  if (id === APPLICATION_ID || (id === 0 && objects === 0)) return;
  throw new PortariaError(
    'store-corrupt',
    `${database.name} is not a provider database: name another file with --database`,
  );
}
