import { fileURLToPath } from 'node:url';
import { runToEnd } from './run-to-end.mjs';

const script = fileURLToPath(new URL('generator-process.mjs', import.meta.url));

/**
 * @typedef {object} PacedLoad
 * @property {string} url
 * @property {number} perSecond requests that are due, evenly spread
 * @property {number} connections
 * @property {number} warmUpSeconds of the same load, before any of it is measured
 * @property {number} seconds
 * @property {number} firstId of ids that nobody else uses
 *
 * @typedef {import('./closed-loop.mjs').Measured & { answered: number, unsent: number }} MeasuredPaced
 * `answered` of `requests` by the end of `seconds`; `unsent` never found a free connection.
 */

/**
 * @param {import('../lifetime/keeper.mjs').Keeper} keeper
 * @param {PacedLoad} load
 * @returns {Promise<MeasuredPaced>}
 */
export async function runPaced(keeper, load) {
  const measured = await runToEnd(keeper, process.execPath, [
    script,
    './paced-requests.mjs',
    JSON.stringify(load),
  ]);
  if (measured.failures > 0) throw new Error(`${measured.failures} requests to ${load.url} failed`);
  return measured;
}
