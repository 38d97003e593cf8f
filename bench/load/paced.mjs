import { fileURLToPath } from 'node:url';
import { runToEnd } from './run-to-end.mjs';

const script = fileURLToPath(new URL('generator-process.mjs', import.meta.url));

/**
 * @typedef {object} PacedLoad
 * @property {string} url
 * @property {number} perSecond rate of requests, evenly spaced
 * @property {number} connections
 * @property {number} warmUpSeconds of the same load before the measurement
 * @property {number} seconds
 * @property {number} firstId start of an unused range of ids
 *
 * @typedef {import('./closed-loop.mjs').Measured & { answered: number, unsent: number }} MeasuredPaced
 * `answered` of `requests` had a response after `seconds`; `unsent` found no free connection.
 */

/**
 * @param {import('../lifetime/supervisor.mjs').Supervisor} supervisor
 * @param {PacedLoad} load
 * @returns {Promise<MeasuredPaced>}
 */
export async function runPaced(supervisor, load) {
  const measured = await runToEnd(supervisor, process.execPath, [
    script,
    './paced-requests.mjs',
    JSON.stringify(load),
  ]);
  if (measured.failures > 0) throw new Error(`${measured.failures} requests to ${load.url} failed`);
  return measured;
}
