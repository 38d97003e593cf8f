import { numberText } from '../report/number-text.mjs';
import { halfLoad, latencyText, runAtRate } from './paced-latency.mjs';

/** Latency at half of Portaria's maximum rate, evenly spaced. */
/** @type {import('./rows.mjs').Rows} */
export const latency = {
  name: 'latency',
  rows: () => [{ id: 'p99', what: 'p99 at half load / bare Hono at the same load', aim: { max: 3 } }],
  async measure(bench) {
    const { plan, results } = bench;
    const [portaria, bare] = [await bench.portaria(), await bench.bareHono()];
    const perSecond = await halfLoad(bench, portaria.url);

    const ours = [];
    const theirs = [];
    for (let round = 0; round < plan.latencyRounds; round += 1) {
      const their = await runAtRate(bench, bare.url, perSecond);
      const our = await runAtRate(bench, portaria.url, perSecond);
      theirs.push(their);
      ours.push(our);
      results.add('p99', our.p99 / their.p99);
    }
    results.note(
      'p99',
      `at ${numberText(perSecond)}/s Portaria ${latencyText(ours)}; bare Hono ${latencyText(theirs)}`,
    );
  },
};
