import { runPaced } from '../../load/paced.mjs';
import { numberText } from '../../report/number-text.mjs';
import { median } from '../../report/spread.mjs';
import { startBoth } from './ingest.mjs';

const CONNECTIONS = 256;
const SECONDS = 1;
const WARM_UP_SECONDS = 0.3;

/**
 * Latency on PostgreSQL and of pg-boss, at half of the rate that pg-boss reaches: at half of Portaria's, pg-boss does
 * not keep up, and its latency grows with the length of the run.
 */
/** @type {import('../rows.mjs').Rows} */
export const scaleLatency = {
  name: 'scale-latency',
  rows: () => [
    {
      id: 'scale-p99',
      what: "PostgreSQL: p99 at half of pg-boss's load / Hono + pg-boss",
      aim: { max: 1 },
    },
  ],
  async measure(bench) {
    const { supervisor, plan, loop, results } = bench;
    const { ours, pgBoss } = await startBoth(bench);
    const half = async (/** @type {string} */ url) => {
      const most = await loop.run({ url, connections: 64, seconds: plan.seconds });
      return Math.round(most.requests / most.seconds / 2);
    };
    const [halfOfTheirs, halfOfOurs] = [await half(pgBoss.url), await half(ours.url)];
    /**
     * @param {string} url
     * @param {number} perSecond
     */
    const run = (url, perSecond) =>
      runPaced(supervisor, {
        url,
        perSecond,
        connections: CONNECTIONS,
        warmUpSeconds: WARM_UP_SECONDS,
        seconds: SECONDS,
        firstId: loop.reserveIds(),
      });

    /** @type {Record<'their' | 'our' | 'ourHalf', import('../../load/paced.mjs').MeasuredPaced[]>} */
    const runs = { their: [], our: [], ourHalf: [] };
    for (let round = 0; round < plan.scaleLatencyRounds; round += 1) {
      const their = await run(pgBoss.url, halfOfTheirs);
      const our = await run(ours.url, halfOfTheirs);
      runs.their.push(their);
      runs.our.push(our);
      runs.ourHalf.push(await run(ours.url, halfOfOurs));
      results.add('scale-p99', our.p99 / their.p99);
    }
    results.note(
      'scale-p99',
      `at ${numberText(halfOfTheirs)}/s Portaria ${milliseconds(runs.our)}, pg-boss ${milliseconds(runs.their)}; ` +
        `Portaria at half of its own load, ${numberText(halfOfOurs)}/s, ${milliseconds(runs.ourHalf)}`,
    );
    await Promise.all([ours.stop(), pgBoss.stop()]);
  },
};

/** @param {readonly import('../../load/closed-loop.mjs').Measured[]} runs */
function milliseconds(runs) {
  const [p50, p99] = [median(runs.map((run) => run.p50)), median(runs.map((run) => run.p99))];
  return `p50 ${numberText(p50)} ms, p99 ${numberText(p99)} ms`;
}
