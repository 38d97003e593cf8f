import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from './free-port.mjs';

export const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

/** How long a start may take, in milliseconds. */
const PATIENCE_MS = 60_000;

/**
 * @typedef {import('./start-peer.mjs').Server & {
 *   readyMs: number,
 *   statistics: () => Promise<any>,
 *   kill: () => Promise<void>,
 * }} Portaria
 *
 * `readyMs` is from the start of the process to the first `/readyz` that says so.
 */

/**
 * The built program itself, as `npm start` runs it, but silent.
 *
 * @param {import('../lifetime/keeper.mjs').Keeper} keeper
 * @param {object} options
 * @param {string} options.database
 * @param {string} options.handlers a folder
 * @param {number} [options.graceMs] what running handlers get when it is stopped
 * @param {readonly string[]} [options.nodeArgs]
 * @param {string} [options.program] its `main.js`, of this checkout by default
 * @returns {Promise<Portaria>}
 */
export async function startPortaria(
  keeper,
  { database, handlers, graceMs = 2_000, nodeArgs = [], program = main },
) {
  const [port, opsPort] = await freePorts(2);
  const startedAt = performance.now();
  const child = keeper.start(process.execPath, [...nodeArgs, program, 'serve'], {
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
    if (performance.now() - startedAt > PATIENCE_MS) throw new Error('Portaria is not ready after a minute');
    await pause(2);
  }
  return {
    name: 'Portaria',
    url: `http://127.0.0.1:${port}/webhooks`,
    pid: /** @type {number} */ (child.pid),
    readyMs: performance.now() - startedAt,
    statistics: async () => (await fetch(`${operators}/api/stats`)).json(),
    stop: () => keeper.stop(child),
    kill: () => keeper.stop(child, 'SIGKILL'),
  };
}

/**
 * Of this process without its own settings: what somebody exported must not be measured.
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
