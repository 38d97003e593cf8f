/** Lets one bootstrap run at a time. */
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './report.mjs';

const HEARTBEAT_MS = 1_000;
/** Without a heartbeat for this long, the holder has ended, even if its process id was reused. */
const SILENT_MS = 15_000;
const POLL_MS = 200;

/**
 * Runs `work` while no other bootstrap of this checkout runs.
 *
 * @param {string} path
 * @param {() => Promise<void>} work
 */
export async function withLock(path, work) {
  let waiting = false;
  while (!take(path)) {
    if (isAbandoned(path)) {
      rmSync(path, { force: true });
      continue;
    }
    if (!waiting) say('waiting for another bootstrap of this checkout to finish');
    waiting = true;
    await sleep(POLL_MS);
  }
  const heartbeat = setInterval(() => beat(path), HEARTBEAT_MS);
  try {
    await work();
  } finally {
    clearInterval(heartbeat);
    rmSync(path, { force: true });
  }
}

/** @param {string} path */
function take(path) {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** @param {string} path */
function beat(path) {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // The lock was removed by hand. The work is safe to finish: its result is swapped in as a whole.
  }
}

/** @param {string} path */
function isAbandoned(path) {
  try {
    if (Date.now() - statSync(path).mtimeMs > SILENT_MS) return true;
    const holder = Number(readFileSync(path, 'utf8'));
    // The file is empty between its creation and its first byte.
    if (!Number.isInteger(holder) || holder <= 0) return false;
    process.kill(holder, 0);
    return false;
  } catch (error) {
    // ESRCH: no such process. EPERM: it runs as another user.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
