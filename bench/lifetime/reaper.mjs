/**
 * Outlives its parent: after the parent has ended, even by SIGKILL, it ends the
 * processes and deletes the folders that the parent registered.
 *
 * Reads lines of JSON: {"started": pid}, {"ended": pid}, {"folder": path}.
 */
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const GRACE_MS = 2_000;
const pids = new Set();
const folders = [];

process.on('SIGINT', () => undefined).on('SIGTERM', () => undefined);
for await (const line of createInterface({ input: process.stdin })) {
  const { started, ended, folder } = JSON.parse(line);
  if (started !== undefined) pids.add(started);
  if (ended !== undefined) pids.delete(ended);
  if (folder !== undefined) folders.push(folder);
}

for (const pid of pids) signal(pid, 'SIGTERM');
for (let waited = 0; waited < GRACE_MS && [...pids].some((pid) => signal(pid, 0)); waited += 50) {
  await pause(50);
}
for (const pid of pids) signal(pid, 'SIGKILL');
for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });

/**
 * @param {number} pid
 * @param {NodeJS.Signals | 0} name
 */
function signal(pid, name) {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
