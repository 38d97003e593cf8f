/** Recognizes a file that `store copy` has begun to write. */
import type { Database } from 'better-sqlite3';
import { unfinishedCopy } from '../../shared/error-meaning.ts';

/** Whether `store copy` has begun to write the file, and has not ended. */
export function isUnfinishedCopy(database: Database): boolean {
  return database.prepare("select 1 from sqlite_schema where name = 'copy_progress'").get() !== undefined;
}

/** @throws PortariaError `store-unsupported` */
export function requireFinished(database: Database): void {
  if (isUnfinishedCopy(database)) throw unfinishedCopy(database.name);
}
