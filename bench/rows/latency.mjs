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

/** Latency at half of Portaria's maximum rate, evenly spaced. */
/** @type {import('./rows.mjs').Rows} */
export const latency = {
  name: 'latency',
  rows: () => [{ id: 'p99', what: 'p99 at half load / bare Hono at the same load', aim: { max: 3 } }],
  async measure(bench) {
    const { supervisor, plan, loop, results } = bench;
    const [portaria, bare] = [await bench.portaria(), await bench.bareHono()];
    const most = await loop.run({ url: portaria.url, connections: 64, seconds: plan.seconds });
    const perSecond = Math.round(most.requests / most.seconds / 2);
    /** @param {string} url */
    const run = (url) =>
      runPaced(supervisor, {
        url,
        perSecond,
        connections: CONNECTIONS,
        warmUpSeconds: WARM_UP_SECONDS,
        seconds: SECONDS,
        firstId: loop.reserveIds(),
      });

    const ours = [];
    const theirs = [];
    for (let round = 0; round < plan.latencyRounds; round += 1) {
      const [their, our] = [await run(bare.url), await run(portaria.url)];
      theirs.push(their);
      ours.push(our);
      results.add('p99', our.p99 / their.p99);
    }
    results.note(
      'p99',
      `at ${numberText(perSecond)}/s Portaria ${milliseconds(ours)}; bare Hono ${milliseconds(theirs)}`,
    );
  },
};

/** @param {readonly import('../load/closed-loop.mjs').Measured[]} runs */
function milliseconds(runs) {
  const [p50, p99] = [median(runs.map((run) => run.p50)), median(runs.map((run) => run.p99))];
  return `p50 ${numberText(p50)} ms, p99 ${numberText(p99)} ms`;
}
