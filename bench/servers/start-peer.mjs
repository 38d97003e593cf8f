import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';

/**
 * A server to be measured.
 *
 * @typedef {object} Server
 * @property {string} name
 * @property {string} url for webhooks
 * @property {number} pid
 * @property {() => Promise<void>} stop
 */

/**
 * @param {import('../lifetime/supervisor.mjs').Supervisor} supervisor
 * @param {string} name
 * @param {string} script a file in this folder
 * @param {readonly string[]} args
 * @returns {Promise<Server>}
 */
export async function startPeer(supervisor, name, script, args = []) {
  const child = supervisor.start(
    process.execPath,
    [fileURLToPath(new URL(script, import.meta.url)), ...args],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_ENV: 'production' },
    },
  );
  if (child.stdout === null || child.pid === undefined) throw new Error(`${name} could not be started`);
  for await (const line of createInterface({ input: child.stdout })) {
    const { port } = JSON.parse(line);
    return {
      name,
      url: `http://127.0.0.1:${port}/webhooks`,
      pid: child.pid,
      stop: () => supervisor.stop(child),
    };
  }
  throw new Error(`${name} ended before it was listening`);
}
