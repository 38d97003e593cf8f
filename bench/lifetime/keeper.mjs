import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How long a process may take to end by itself once asked, in milliseconds. */
const GRACE_MS = 15_000;

/** The same at the very end, when nobody needs what it leaves behind. */
const LAST_GRACE_MS = 2_000;

/**
 * Everything a benchmark or the demo starts and writes, so that nothing of it stays
 * behind: the reaper ends it even when this process is killed.
 *
 * @typedef {object} Keeper
 * @property {string} root the folder all other folders lie in
 * @property {(name: string) => Promise<string>} folder makes a new empty folder
 * @property {(folder: string) => Promise<void>} discard deletes one of them
 * @property {(command: string, args: readonly string[], options?: import('node:child_process').SpawnOptions) => import('node:child_process').ChildProcess} start
 * @property {(child: import('node:child_process').ChildProcess, signal?: NodeJS.Signals) => Promise<void>} stop
 * @property {() => Promise<void>} end stops and deletes everything
 */

/**
 * @param {string} place where the data lies: its disk is what is measured
 * @param {{ readonly name?: string, readonly keep?: boolean }} [options] what the root's name begins with, and
 *   whether it stays
 * @returns {Promise<Keeper>}
 */
export async function createKeeper(place, { name = 'portaria-bench-', keep = false } = {}) {
  const root = await mkdtemp(join(place, name));
  const reaper = spawn(process.execPath, [fileURLToPath(new URL('reaper.mjs', import.meta.url))], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  });
  /** @param {object} line */
  const tell = (line) => void reaper.stdin.write(`${JSON.stringify(line)}\n`);
  if (!keep) tell({ folder: root });
  /** @type {Set<import('node:child_process').ChildProcess>} */
  const children = new Set();
  let folders = 0;

  /**
   * @param {import('node:child_process').ChildProcess} child
   * @param {NodeJS.Signals} [signal]
   * @param {number} [graceMs]
   */
  async function stop(child, signal = 'SIGTERM', graceMs = GRACE_MS) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    const cut = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await exited;
    clearTimeout(cut);
  }

  return {
    root,
    async folder(name) {
      const path = join(root, `${String((folders += 1))}-${name}`);
      await mkdir(path);
      return path;
    },
    discard: (folder) => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
    start(command, args, options = {}) {
      const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
      children.add(child);
      tell({ started: child.pid });
      child.once('exit', () => {
        children.delete(child);
        tell({ ended: child.pid });
      });
      return child;
    },
    stop: (child, signal) => stop(child, signal),
    async end() {
      await Promise.all([...children].map((child) => stop(child, 'SIGTERM', LAST_GRACE_MS)));
      reaper.stdin.end();
      await once(reaper, 'exit');
    },
  };
}
