/** The program that copies a database for `serve`, whose threads are free meanwhile. */
import { text } from 'node:stream/consumers';
import type { BackupTask } from '../../backup-folder.ts';
import { backUp } from './back-up.ts';

// A program of its own: writes the copy, or the reason why there is none to its standard error.
const stopping = new AbortController();
process.once('SIGTERM', () => {
  stopping.abort();
});
const { from, to } = JSON.parse(await text(process.stdin)) as BackupTask;
try {
  const onProgress = (): void => undefined;
  await backUp({ from, to, shownAs: to, force: true, signal: stopping.signal, onProgress });
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
