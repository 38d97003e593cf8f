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
      // In turns: whoever runs second finds what the first one has left to the server.
      const first = round % 2 === 0 ? pgBoss : ours;
      const one = await runAtRate(bench, first.url, halfOfTheirs);
      const other = await runAtRate(bench, first === ours ? pgBoss.url : ours.url, halfOfTheirs);
      const [their, our] = first === ours ? [other, one] : [one, other];
      runs.their.push(their);
      runs.our.push(our);
      results.add('scale-p99', our.p99 / their.p99);
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
