import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from './find-program.mjs';
import { runToEnd } from './run-to-end.mjs';
import { afterId, beforeId, FIRST_ID } from './violation.mjs';

/**
 * As many requests as the server takes: each connection sends the next when
 * the last is answered.
 *
 * @typedef {object} Load
 * @property {string} url
 * @property {number} connections
 * @property {number} seconds
 * @property {number} firstId of ids that nobody else uses
 * @property {number} cycle 0 for a new id each time, else so many ids (of each thread) again and again
 * @property {number} perSecond 0 for as many as the server takes, else at most so many, evenly spread
 *
 * @typedef {object} Measured
 * @property {number} requests answered
 * @property {number} seconds it took
 * @property {number} p50 milliseconds
 * @property {number} p99 milliseconds
 * @property {number} failures refused, broken or late
 *
 * @typedef {object} ClosedLoop
 * @property {string} name of the generator
 * @property {number} threads of it that count ids each for itself
 * @property {(load: Omit<Load, 'firstId' | 'cycle' | 'perSecond'> & Partial<Load>) => Promise<Measured>} run
 * @property {(count: number) => number} reserveIds the first of so many ids
 */

/** Ids for each run: more than any server answers in one. */
const IDS = 20_000_000;

/** One makes more requests than any of these servers answers, and more would take the servers' cores. */
const WRK_THREADS = availableParallelism() > 4 ? 2 : 1;

/** Ids for each of them. */
const STRIDE = IDS / WRK_THREADS;

/**
 * @param {import('../lifetime/keeper.mjs').Keeper} keeper
 * @returns {Promise<ClosedLoop>}
 */
export async function createClosedLoop(keeper) {
  let nextId = FIRST_ID;
  const reserveIds = (count = IDS) => (nextId += count) - count;
  const wrk = findProgram('wrk');
  const run = wrk === undefined ? runAutocannon(keeper) : await runWrk(keeper, wrk);
  return {
    name: wrk === undefined ? 'autocannon' : 'wrk',
    threads: wrk === undefined ? 1 : WRK_THREADS,
    reserveIds,
    async run(load) {
      const measured = await run({ firstId: load.firstId ?? reserveIds(), cycle: 0, perSecond: 0, ...load });
      if (measured.failures > 0) throw new Error(`${measured.failures} requests to ${load.url} failed`);
      return measured;
    },
  };
}

/**
 * @param {import('../lifetime/keeper.mjs').Keeper} keeper
 * @param {string} wrk
 * @returns {Promise<(load: Load) => Promise<Measured>>}
 */
async function runWrk(keeper, wrk) {
  const folder = await keeper.folder('payload');
  const [before, after] = [join(folder, 'before-id'), join(folder, 'after-id')];
  await writeFile(before, beforeId);
  await writeFile(after, afterId);
  const script = fileURLToPath(new URL('violations.lua', import.meta.url));
  return ({ url, connections, seconds, firstId, cycle, perSecond }) =>
    runToEnd(
      keeper,
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
      ].concat([before, after, firstId, STRIDE, cycle, perSecond / WRK_THREADS].map(String)),
    );
}

/**
 * @param {import('../lifetime/keeper.mjs').Keeper} keeper
 * @returns {(load: Load) => Promise<Measured>}
 */
function runAutocannon(keeper) {
  const script = fileURLToPath(new URL('generator-process.mjs', import.meta.url));
  return (load) =>
    runToEnd(keeper, process.execPath, [script, './autocannon-requests.mjs', JSON.stringify(load)]);
}
