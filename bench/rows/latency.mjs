import { numberText } from '../report/number-text.mjs';
import { halfLoad, latencyText, runAtRate } from './paced-latency.mjs';

/** Webhooks a second that people have, and three times as many. */
const RATES = /** @type {const} */ ([
  { id: 'p99-1000', perSecond: 1_000, aim: { max: 1.2 } },
  { id: 'p99-3000', perSecond: 3_000, aim: { max: 0.6 } },
]);

/** Latency of evenly spaced webhooks: beside a receiver of one's own, and at half of Portaria's maximum rate. */
/** @type {import('./rows.mjs').Rows} */
export const latency = {
  name: 'latency',
  rows: () => [
    ...RATES.map(({ id, perSecond, aim }) => ({
      id,
      what: `p99 at ${numberText(perSecond)}/s / forty lines of one's own`,
      aim,
    })),
    { id: 'p99', what: 'p99 at half load / bare Hono at the same load, which stores nothing' },
  ],
  async measure(bench) {
    const [portaria, bare, own] = await Promise.all([bench.portaria(), bench.bareHono(), bench.fortyLines()]);
    for (const { id, perSecond } of RATES) await compare(bench, id, perSecond, portaria, own);
    await compare(bench, 'p99', await halfLoad(bench, portaria.url), portaria, bare);
  },
};

/**
 * @param {import('../bench.mjs').Bench} bench
 * @param {string} id of the row
 * @param {number} perSecond
 * @param {import('../servers/start-peer.mjs').Server} portaria
 * @param {import('../servers/start-peer.mjs').Server} peer
 */
async function compare(bench, id, perSecond, portaria, peer) {
  const ours = [];
  const theirs = [];
  for (let round = 0; round < bench.plan.latencyRounds; round += 1) {
    const their = await runAtRate(bench, peer.url, perSecond);
    const our = await runAtRate(bench, portaria.url, perSecond);
    theirs.push(their);
    ours.push(our);
    bench.results.add(id, our.p99 / their.p99);
  }
  bench.results.note(
    id,
    `at ${numberText(perSecond)}/s Portaria ${latencyText(ours)}; ${peer.name} ${latencyText(theirs)}`,
  );
}
