import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.mjs';

/** The built program, as users run it. */
const program = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

/** Milliseconds for a start on a busy machine. */
const START_LIMIT_MS = 30_000;

/**
 * @typedef {object} Workspace
 * @property {import('../../bench/lifetime/supervisor.mjs').Supervisor} supervisor
 * @property {string} folder
 * @property {AbortSignal} signal
 */

/**
 * A program that runs until the demo ends. It can be killed and started again.
 *
 * @typedef {object} Daemon
 * @property {(how?: StartOptions) => Promise<void>} start resolves when it responds
 * @property {() => Promise<void>} kill sends SIGKILL
 * @property {() => void} freeze stops the process where it is (SIGSTOP), until `thaw`
 * @property {() => void} thaw
 */

/**
 * @typedef {object} StartOptions
 * @property {number} [earlierMs] how long ago it is for the program, in milliseconds
 * @property {Record<string, string>} [env] further settings
 */

/**
 * @param {Workspace} workspace
 * @param {object} how
 * @param {string} how.name also names its log
 * @param {readonly string[]} how.args
 * @param {Record<string, string>} how.env
 * @param {() => Promise<boolean>} how.isReady
 * @returns {Daemon}
 */
export function daemon({ supervisor, folder, signal }, { name, args, env, isReady }) {
  const file = `${folder}/${name.replaceAll(' ', '-')}.log`;
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child;
  const isRunning = () => child?.exitCode === null && child.signalCode === null;
  return {
    async start({ earlierMs = 0, env: more = {} } = {}) {
      const log = await open(file, 'a');
      child = supervisor.start(process.execPath, [program, ...args], {
        stdio: ['ignore', log.fd, log.fd],
        env: { ...ownEnvironment({ ...env, ...more }), ...(earlierMs > 0 && earlierBy(earlierMs)) },
      });
      await log.close();
      await eventually(`the ${name} responds`, START_LIMIT_MS, signal, () => {
        if (!isRunning()) throw new Error(`the ${name} ended before it responded: see ${file}`);
        return isReady();
      });
    },
    async kill() {
      if (child) await supervisor.stop(child, 'SIGKILL');
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
  };
}

/**
 * Lets a program believe that it is earlier, so that what it does happened a while ago.
 *
 * @param {number} ms
 */
function earlierBy(ms) {
  const preload = new URL('earlier.mjs', import.meta.url).href;
  return { NODE_OPTIONS: `--import=${preload}`, DEMO_EARLIER_MS: String(ms) };
}

/**
 * Runs a command to its end and returns its output.
 *
 * @param {Workspace} workspace
 * @param {readonly string[]} args
 * @param {Record<string, string>} [env]
 * @param {readonly number[]} [expected] exit codes
 * @returns {Promise<string>}
 * @throws {Error} if its exit code is another one
 */
export async function command({ supervisor, signal }, args, env = {}, expected = [0]) {
  signal.throwIfAborted();
  const child = supervisor.start(process.execPath, [program, ...args], { env: ownEnvironment(env) });
  const [out, err] = [child.stdout, child.stderr].map((stream) => {
    const chunks = /** @type {Buffer[]} */ ([]);
    stream?.on('data', (chunk) => chunks.push(chunk));
    return () => Buffer.concat(chunks).toString();
  });
  const [code] = await once(child, 'close', { signal });
  if (!expected.includes(code))
    throw new Error(`portaria ${args.join(' ')} ended with ${code}: ${err?.().trim()}`);
  return out?.() ?? '';
}

/**
 * The environment of this process without settings of Portaria, which the user may have exported.
 *
 * @param {Record<string, string>} settings
 */
function ownEnvironment(settings) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PORTARIA_'));
  return { ...Object.fromEntries(own), NODE_ENV: 'production', ...settings };
}
