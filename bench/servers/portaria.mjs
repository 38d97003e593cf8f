import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from './free-port.mjs';

export const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

/** Milliseconds for a start. */
const TIMEOUT_MS = 60_000;

/**
 * @typedef {import('./start-peer.mjs').Server & {
 *   database: string,
 *   readyMs: number,
 *   operators: string,
 *   statistics: () => Promise<any>,
 *   kill: () => Promise<void>,
 * }} Portaria
 *
 * `operators` is the address of the private port.
 * `readyMs` is the time from the start of the process to the first `/readyz` that is ready.
 */

/**
 * Starts the built program, with logging off.
 *
 * @param {import('../lifetime/supervisor.mjs').Supervisor} supervisor
 * @param {object} options
 * @param {string} options.database
 * @param {string} options.handlers a folder
 * @param {number} [options.graceMs] milliseconds for running handlers at a stop
 * @param {readonly string[]} [options.nodeArgs]
 * @param {string} [options.program] path of `main.js`; this checkout's by default
 * @returns {Promise<Portaria>}
 */
export async function startPortaria(
  supervisor,
  { database, handlers, graceMs = 2_000, nodeArgs = [], program = main },
) {
  const [port, opsPort] = await freePorts(2);
  const startedAt = performance.now();
  const child = supervisor.start(process.execPath, [...nodeArgs, program, 'serve'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: portariaEnvironment({
      PORTARIA_DATABASE: database,
      PORTARIA_HANDLERS: handlers,
      PORTARIA_PORT: String(port),
      PORTARIA_OPS_PORT: String(opsPort),
      PORTARIA_SHUTDOWN_GRACE_MS: String(graceMs),
    }),
  });
  const operators = `http://127.0.0.1:${opsPort}`;
  while (!(await isReady(operators))) {
    if (child.exitCode !== null) throw new Error('Portaria ended before it was ready');
    if (performance.now() - startedAt > TIMEOUT_MS) throw new Error('Portaria is not ready after a minute');
    await pause(2);
  }
  return {
    name: 'Portaria',
    database,
    url: `http://127.0.0.1:${port}/webhooks`,
    operators,
    pid: /** @type {number} */ (child.pid),
    readyMs: performance.now() - startedAt,
    statistics: async () => (await fetch(`${operators}/api/stats`)).json(),
    stop: () => supervisor.stop(child),
    kill: () => supervisor.stop(child, 'SIGKILL'),
  };
}

/**
 * The environment of this process without settings of Portaria, which the user may have exported.
 *
 * @param {Record<string, string>} settings
 */
export function portariaEnvironment(settings) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PORTARIA_'));
  return { ...Object.fromEntries(own), NODE_ENV: 'production', PORTARIA_LOG_LEVEL: 'silent', ...settings };
}

/** @param {string} operators */
async function isReady(operators) {
  try {
    return (await fetch(`${operators}/readyz`)).ok;
  } catch {
    return false;
  }
}
