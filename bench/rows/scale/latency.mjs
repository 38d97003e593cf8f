import { numberText } from '../../report/number-text.mjs';
import { halfLoad, latencyText, runAtRate } from '../paced-latency.mjs';
import { startBoth } from './ingest.mjs';

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
    const { plan, results } = bench;
    const { ours, pgBoss } = await startBoth(bench);
    const [halfOfTheirs, halfOfOurs] = [await halfLoad(bench, pgBoss.url), await halfLoad(bench, ours.url)];

    /** @type {Record<'their' | 'our' | 'ourHalf', import('../../load/paced.mjs').MeasuredPaced[]>} */
    const runs = { their: [], our: [], ourHalf: [] };
    for (let round = 0; round < plan.scaleLatencyRounds; round += 1) {
      // In turns: the first one leaves the server pages and log to write, which may slow the second one.
      const order = /** @type {const} */ (round % 2 === 0 ? ['their', 'our'] : ['our', 'their']);
      const p99 = { their: 0, our: 0 };
      for (const whose of order) {
        const run = await runAtRate(bench, (whose === 'our' ? ours : pgBoss).url, halfOfTheirs);
        runs[whose].push(run);
        p99[whose] = run.p99;
      }
      results.add('scale-p99', p99.our / p99.their);
    }
    for (let round = 0; round < plan.scaleLatencyRounds; round += 4)
      runs.ourHalf.push(await runAtRate(bench, ours.url, halfOfOurs));
    results.note(
      'scale-p99',
      `at ${numberText(halfOfTheirs)}/s Portaria ${latencyText(runs.our)}, pg-boss ${latencyText(runs.their)}; ` +
        `Portaria at half of its own load, ${numberText(halfOfOurs)}/s, ${latencyText(runs.ourHalf)}`,
    );
    await Promise.all([ours.stop(), pgBoss.stop()]);
  },
};
