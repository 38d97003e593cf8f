import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from './find-program.mjs';
import { runToEnd } from './run-to-end.mjs';
import { afterId, beforeId, FIRST_ID } from './violation.mjs';

/**
 * A closed-loop load: each connection sends the next request after the response.
 *
 * @typedef {object} Load
 * @property {string} url
 * @property {number} connections
 * @property {number} seconds
 * @property {number} firstId start of an unused range of ids
 * @property {number} cycle 0 for new ids, else the number of ids (of each thread) to repeat
 * @property {number} perSecond 0 for no limit, else the maximum rate, evenly spaced
 * @property {number} subjects 0 for an event of each, else the number of subjects whose events differ in their text
 *
 * @typedef {object} Measured
 * @property {number} requests with a response
 * @property {number} seconds duration
 * @property {number} p50 milliseconds
 * @property {number} p99 milliseconds
 * @property {number} failures rejected, broken or late
 *
 * @typedef {object} ClosedLoop
 * @property {string} name of the generator
 * @property {number} threads each counts ids separately
 * @property {(load: Omit<Load, 'firstId' | 'cycle' | 'perSecond' | 'subjects'> & Partial<Load>) => Promise<Measured>} run
 * @property {(count: number) => number} reserveIds reserves a range and returns its first id
 */

/** Ids for each run: more than any server can process. */
const IDS = 20_000_000;

/** One thread saturates each of these servers; more would take their cores. */
const WRK_THREADS = availableParallelism() > 4 ? 2 : 1;

/** Ids for each thread. */
const STRIDE = IDS / WRK_THREADS;

/**
 * @param {import('../lifetime/supervisor.mjs').Supervisor} supervisor
 * @returns {Promise<ClosedLoop>}
 */
export async function createClosedLoop(supervisor) {
  let nextId = FIRST_ID;
  const reserveIds = (count = IDS) => (nextId += count) - count;
  const wrk = findProgram('wrk');
  const run = wrk === undefined ? runAutocannon(supervisor) : await runWrk(supervisor, wrk);
  return {
    name: wrk === undefined ? 'autocannon' : 'wrk',
    threads: wrk === undefined ? 1 : WRK_THREADS,
    reserveIds,
    async run(load) {
      const measured = await run({
        firstId: load.firstId ?? reserveIds(),
        cycle: 0,
        perSecond: 0,
        subjects: 0,
        ...load,
      });
      if (measured.failures > 0) throw new Error(`${measured.failures} requests to ${load.url} failed`);
      return measured;
    },
  };
}

/**
 * @param {import('../lifetime/supervisor.mjs').Supervisor} supervisor
 * @param {string} wrk
 * @returns {Promise<(load: Load) => Promise<Measured>>}
 */
async function runWrk(supervisor, wrk) {
  const folder = await supervisor.folder('payload');
  const [before, after] = [join(folder, 'before-id'), join(folder, 'after-id')];
  await writeFile(before, beforeId);
  await writeFile(after, afterId);
  const script = fileURLToPath(new URL('violations.lua', import.meta.url));
  return ({ url, connections, seconds, firstId, cycle, perSecond, subjects }) =>
    runToEnd(
      supervisor,
      wrk,
      [
        `-t${WRK_THREADS}`,
        `-c${connections}`,
        `-d${seconds}s`,
        '--timeout',
        '10s',
        '-s',
        script,
        url,
        '--',
      ].concat([before, after, firstId, STRIDE, cycle, perSecond / WRK_THREADS, subjects].map(String)),
    );
}

/**
 * @param {import('../lifetime/supervisor.mjs').Supervisor} supervisor
 * @returns {(load: Load) => Promise<Measured>}
 */
function runAutocannon(supervisor) {
  const script = fileURLToPath(new URL('generator-process.mjs', import.meta.url));
  return (load) =>
    runToEnd(supervisor, process.execPath, [script, './autocannon-requests.mjs', JSON.stringify(load)]);
}
