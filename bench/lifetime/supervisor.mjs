import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Milliseconds from SIGTERM to SIGKILL. */
const GRACE_MS = 15_000;

/** The same at the end of the benchmark, when the state no longer matters. */
const LAST_GRACE_MS = 2_000;

/**
 * Starts the processes and creates the folders of a benchmark or the demo, and removes
 * them. The reaper does so even if this process is killed.
 *
 * @typedef {object} Supervisor
 * @property {string} root contains all other folders
 * @property {(name: string) => Promise<string>} folder creates an empty folder
 * @property {(folder: string) => Promise<void>} discard deletes a folder
 * @property {(command: string, args: readonly string[], options?: import('node:child_process').SpawnOptions) => import('node:child_process').ChildProcess} start
 * @property {(child: import('node:child_process').ChildProcess, signal?: NodeJS.Signals) => Promise<void>} stop
 * @property {() => Promise<void>} end stops every process and deletes every folder
 */

/**
 * @param {string} parent the folder for the root; its disk is measured
 * @param {{ readonly name?: string, readonly keep?: boolean }} [options] the prefix of the
 *   root's name, and whether to keep the root
 * @returns {Promise<Supervisor>}
 */
export async function createSupervisor(parent, { name = 'portaria-bench-', keep = false } = {}) {
  const root = await mkdtemp(join(parent, name));
  const reaper = spawn(process.execPath, [fileURLToPath(new URL('reaper.mjs', import.meta.url))], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  });
  /** @param {object} line */
  const send = (line) => void reaper.stdin.write(`${JSON.stringify(line)}\n`);
  if (!keep) send({ folder: root });
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
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
    await exited;
    clearTimeout(timer);
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
      send({ started: child.pid });
      child.once('exit', () => {
        children.delete(child);
        send({ ended: child.pid });
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
