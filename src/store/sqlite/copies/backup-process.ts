/** The program that copies a database for `serve`, whose threads are free meanwhile. */
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { BackupTask } from '../../backup-folder.ts';
import { acquireExclusiveLock } from '../../../kernel/files/exclusive-lock.ts';
import { backUp } from './back-up.ts';

// A program of its own: writes the copy, or the reason why there is none to its standard error.
const { from, to } = JSON.parse(await text(process.stdin)) as BackupTask;
try {
  // The copy of a serve that was killed goes on: a restart must not add another, and fill the disk.
  acquireExclusiveLock(join(dirname(to), '.portaria-backup.lock'));
  const { signal } = new AbortController();
  await backUp({ from, to, shownAs: to, force: true, signal, onProgress: () => undefined });
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
