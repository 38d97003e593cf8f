/** Finds copies of the database that are not made any more. */
import type { Config } from '../config/config.ts';
import { ageText } from '../kernel/text/age.ts';
import { newestBackupAt } from '../store/backup-folder.ts';
import type { OperatorProblem } from './problem.ts';

/** A copy may fail once and be made the next time. */
const LATE_AFTER_PERIODS = 2;

export type FindLateBackup = (now: number) => readonly OperatorProblem[];

/** @param since milliseconds since 1970 from which a folder without any copy is late */
export function createFindLateBackup(
  { backup }: Pick<Config, 'backup'>,
  storeId: string,
  since: number,
): FindLateBackup {
  return (now) => {
    if (backup === null) return [];
    const { folder, everyMs } = backup;
    const lastAt = newestBackupAt(folder, storeId, now);
    const lateAt = (lastAt ?? since) + LATE_AFTER_PERIODS * everyMs;
    if (now < lateAt) return [];
    return [
      {
        problem: 'backup-late',
        of: null,
        since: lastAt === null ? null : lateAt,
        summary: `${lastAt === null ? 'there is no backup' : `the newest backup is of ${ageText(lastAt, now)}`} in ${folder} (PORTARIA_BACKUP_DIR)`,
        remedy:
          'restart serve if it runs without this setting; otherwise its log says why (backup failed): make room in the folder, or let its user write there; `portaria backup` makes one there now',
        facts: { about: 'backup-late', folder, lastAt },
      },
    ];
  };
}
