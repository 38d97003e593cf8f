/** Rewrites the file of a store without free pages: `store compact`. */
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkpointAll } from '../commit/batch-commit.ts';
import { openDatabase } from '../file/open-database.ts';
import { acquireOwnerLock } from '../file/owner-lock.ts';
import { storeError } from '../file/store-error.ts';
import { requireRoom } from './back-up.ts';

export interface Compaction {
  /** Bytes of the file before and after. */
  readonly before: number;
  readonly after: number;
}

/**
 * Writes a database anew without its free space. From then on the file gives space
 * back in steps. A process that ends in the middle leaves the file as it was.
 *
 * @throws PortariaError `store-locked` while a process owns the database, `store-busy`, `store-full`
 */
export function compact(path: string): Compaction {
  const file = realpathSync(path);
  const lock = acquireOwnerLock(file);
  try {
    const database = openDatabase(file);
    const numberOf = (pragma: string) => Number(database.pragma(pragma, { simple: true }));
    const size = () => numberOf('page_count') * numberOf('page_size');
    try {
      checkpointAll(database);
      const before = size();
      const used = before - numberOf('freelist_count') * numberOf('page_size');
      // The new content is written to a temporary file first, and then through the log.
      requireRoom(dirname(file), 2 * used, 'compacting');
      // In the same folder: the folder of the system may be small, or another user's business.
      // oxlint-disable-next-line node/no-process-env -- SQLite takes it from nowhere else
      process.env['SQLITE_TMPDIR'] = dirname(file);
      database.pragma('temp_store = file');
      database.pragma('auto_vacuum = incremental');
      database.exec('vacuum');
      checkpointAll(database);
      return { before, after: size() };
    } catch (error) {
      throw storeError(error, file);
    } finally {
      // oxlint-disable-next-line node/no-process-env -- set above
      delete process.env['SQLITE_TMPDIR'];
      database.close();
    }
  } finally {
    lock.release();
  }
}
