import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './report.mjs';

const HEARTBEAT_MS = 1_000;
/** A holder that has not shown itself for so long is gone, even if its process id lives on as another's. */
const SILENT_MS = 15_000;
const POLL_MS = 200;

/**
 * Does the work while no other bootstrap of this checkout does any.
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
  const heartbeat = setInterval(() => showLife(path), HEARTBEAT_MS);
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
function showLife(path) {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // Somebody removed the lock by hand. The work goes on: what it ends with is swapped in whole.
  }
}

/** @param {string} path */
function isAbandoned(path) {
  try {
    if (Date.now() - statSync(path).mtimeMs > SILENT_MS) return true;
    const holder = Number(readFileSync(path, 'utf8'));
    // Empty for an instant, between its creation and its first byte.
    if (!Number.isInteger(holder) || holder <= 0) return false;
    process.kill(holder, 0);
    return false;
  } catch (error) {
    // ESRCH: no such process. EPERM: it lives, as another user.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
