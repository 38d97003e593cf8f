import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';

/**
 * A server under load.
 *
 * @typedef {object} Server
 * @property {string} name
 * @property {string} url takes webhooks
 * @property {number} pid
 * @property {() => Promise<void>} stop
 */

/**
 * @param {import('../lifetime/keeper.mjs').Keeper} keeper
 * @param {string} name
 * @param {string} script beside this file
 * @param {readonly string[]} args
 * @returns {Promise<Server>}
 */
export async function startPeer(keeper, name, script, args = []) {
  const child = keeper.start(process.execPath, [fileURLToPath(new URL(script, import.meta.url)), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (child.stdout === null || child.pid === undefined) throw new Error(`${name} could not be started`);
  for await (const line of createInterface({ input: child.stdout })) {
    const { port } = JSON.parse(line);
    return { name, url: `http://127.0.0.1:${port}/webhooks`, pid: child.pid, stop: () => keeper.stop(child) };
  }
  throw new Error(`${name} ended before it listened`);
}
