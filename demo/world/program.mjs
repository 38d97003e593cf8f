import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.mjs';

/** What a user runs. */
const program = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

/** Milliseconds that a start may take, on a machine that has other things to do. */
const START_LIMIT_MS = 30_000;

/**
 * @typedef {object} Place
 * @property {import('../../bench/lifetime/keeper.mjs').Keeper} keeper
 * @property {string} folder
 * @property {AbortSignal} signal
 */

/**
 * A program that runs until all ends, or is killed and started again.
 *
 * @typedef {object} Daemon
 * @property {() => Promise<void>} start resolves when it answers
 * @property {() => Promise<void>} kill as `kill -9` does
 */

/**
 * @param {Place} place
 * @param {object} how
 * @param {string} how.name also of its log, in the folder
 * @param {readonly string[]} how.args
 * @param {Record<string, string>} how.env
 * @param {() => Promise<boolean>} how.answers
 * @returns {Daemon}
 */
export function daemon({ keeper, folder, signal }, { name, args, env, answers }) {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child;
  const isRunning = () => child?.exitCode === null && child.signalCode === null;
  return {
    async start() {
      const log = await open(`${folder}/${name}.log`, 'a');
      child = keeper.start(process.execPath, [program, ...args], {
        stdio: ['ignore', log.fd, log.fd],
        env: ownEnvironment(env),
      });
      await log.close();
      await eventually(`the ${name} answers`, START_LIMIT_MS, signal, () => {
        if (!isRunning()) throw new Error(`the ${name} ended before it answered: see ${folder}/${name}.log`);
        return answers();
      });
    },
    async kill() {
      if (child) await keeper.stop(child, 'SIGKILL');
    },
  };
}

/**
 * Runs a command to its end.
 *
 * @param {Place} place
 * @param {readonly string[]} args
 * @param {Record<string, string>} [env]
 * @returns {Promise<string>} what it printed
 * @throws when it ends with anything but 0
 */
export async function command({ keeper, signal }, args, env = {}) {
  signal.throwIfAborted();
  const child = keeper.start(process.execPath, [program, ...args], { env: ownEnvironment(env) });
  const [out, err] = [child.stdout, child.stderr].map((stream) => {
    const chunks = /** @type {Buffer[]} */ ([]);
    stream?.on('data', (chunk) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString();
  });
  const [code] = await once(child, 'close', { signal });
  if (code !== 0) throw new Error(`portaria ${args.join(' ')} ended with ${code}: ${err?.().trim()}`);
  return out?.() ?? '';
}

/**
 * Of this process without Portaria's own settings: what somebody exported has no business here.
 *
 * @param {Record<string, string>} settings
 */
function ownEnvironment(settings) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PORTARIA_'));
  return { ...Object.fromEntries(own), NODE_ENV: 'production', ...settings };
}
