/** The folder of the copies that `serve` makes: their names have the id of their store and their times. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const NAME = /^portaria-([0-9a-z]+)-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;

export interface RegularBackup {
  readonly file: string;
  readonly storeId: string;
  /** When it was begun, in milliseconds since 1970. */
  readonly at: number;
}

/** What the process that makes a copy is told over its standard input. */
export interface BackupTask {
  /** The path of the database. */
  readonly from: string;
  readonly to: string;
}

/** The path of a copy that begins now. */
export function backupPath(folder: string, storeId: string, now: number): string {
  const at = new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/gu, '');
  return join(folder, `portaria-${storeId}-${at}Z.db`);
}

/**
 * The finished copies in a folder, the newest first. Files of other names, and what is no file, are none of them.
 *
 * @param storeId whose; of every store by default
 * @throws the error of the file system
 */
export function backupsIn(folder: string, storeId?: string): readonly RegularBackup[] {
  return readdirSync(folder)
    .flatMap((name) => {
      const [, id, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
      const at = Date.parse(`${year ?? ''}-${month}-${day}T${hour}:${minute}:${second}Z`);
      const file = join(folder, name);
      if (id === undefined || Number.isNaN(at) || (storeId !== undefined && id !== storeId)) return [];
      return lstatSync(file, { throwIfNoEntry: false })?.isFile() === true ? [{ file, storeId: id, at }] : [];
    })
    .toSorted((one, other) => other.at - one.at);
}

/**
 * When the newest copy of a store was begun; null without one, or where the folder cannot be read. A copy of the time
 * to come, which a wrong clock has dated, is none.
 */
export function newestBackupAt(folder: string, storeId: string, now: number): number | null {
  try {
    return backupsIn(folder, storeId).find(({ at }) => at <= now)?.at ?? null;
  } catch {
    return null;
  }
}
