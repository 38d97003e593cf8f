/** Latency at a fixed rate, as the rows of latency measure it. */
import { runPaced } from '../load/paced.mjs';
import { numberText } from '../report/number-text.mjs';
import { median } from '../report/spread.mjs';

/** Enough connections for a server that keeps up. */
const CONNECTIONS = 256;

/**
 * Many short, alternated runs: a disturbance of the machine spoils one of them. Each has
 * about ten garbage collections of Portaria's main thread.
 */
const SECONDS = 1;

/** Warm-up of the generator, which is a new process each time; the servers are warm. */
const WARM_UP_SECONDS = 0.3;

/**
 * Half of the rate that a server reaches.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {string} url
 */
export async function halfLoad({ loop, plan }, url) {
  const most = await loop.run({ url, connections: 64, seconds: plan.seconds });
  return Math.round(most.requests / most.seconds / 2);
}

/**
 * @param {import('../bench.mjs').Bench} bench
 * @param {string} url
 * @param {number} perSecond
 */
export function runAtRate({ supervisor, loop }, url, perSecond) {
  return runPaced(supervisor, {
    url,
    perSecond,
    connections: CONNECTIONS,
    warmUpSeconds: WARM_UP_SECONDS,
    seconds: SECONDS,
    firstId: loop.reserveIds(),
  });
}

/** @param {readonly import('../load/closed-loop.mjs').Measured[]} runs */
export function latencyText(runs) {
  const [p50, p99] = [median(runs.map((run) => run.p50)), median(runs.map((run) => run.p99))];
  return `p50 ${numberText(p50)} ms, p99 ${numberText(p99)} ms`;
}
