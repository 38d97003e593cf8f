/** The folder of the copies that `serve` makes: their names have their times. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const NAME = /^portaria-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;

export interface RegularBackup {
  readonly file: string;
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
export function backupPath(folder: string, now: number): string {
  const at = new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/gu, '');
  return join(folder, `portaria-${at}Z.db`);
}

/**
 * The finished copies in a folder, the newest first; files of other names are none of them.
 *
 * @throws the error of the file system
 */
export function backupsIn(folder: string): readonly RegularBackup[] {
  return readdirSync(folder)
    .flatMap((name) => {
      const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
      if (second === undefined) return [];
      const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
      return [{ file: join(folder, name), at }];
    })
    .toSorted((one, other) => other.at - one.at);
}

/** When the newest copy was begun; null without one, or where the folder cannot be read. */
export function newestBackupAt(folder: string): number | null {
  try {
    return backupsIn(folder)[0]?.at ?? null;
  } catch {
    return null;
  }
}
