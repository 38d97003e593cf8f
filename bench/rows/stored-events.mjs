import { shortViolation } from '../load/violation.mjs';
import { numberText } from '../report/number-text.mjs';
import { median } from '../report/spread.mjs';
import { startPortaria } from '../servers/portaria.mjs';
import { prefill } from '../store/prefill.mjs';

const CONNECTIONS = 64;

/** The cost of a large store: at the start, and for each event. */
/** @type {import('./rows.mjs').Rows} */
export const storedEvents = {
  name: 'stored',
  rows: (plan) => [
    { id: 'ready', what: `ready after start with ${stored(plan)}`, aim: { max: 500 }, unit: 'ms' },
    { id: 'stored', what: `ingest with ${stored(plan)} / empty store`, aim: { min: 0.9 } },
  ],
  async measure(bench) {
    const { supervisor, plan, loop, results, noHandlers } = bench;
    const folder = await supervisor.folder('stored');
    const database = `${folder}/portaria.db`;
    const [empty] = await Promise.all([
      bench.freshPortaria(noHandlers),
      prefill(bench, {
        database,
        events: plan.storedEvents,
        body: shortViolation,
        handlers: noHandlers,
      }),
    ]);

    const start = () => startPortaria(supervisor, { database, handlers: noHandlers });
    let full = await start();
    for (let round = 0; round < plan.rounds; round += 1) {
      await full.stop();
      full = await start();
      results.add('ready', full.readyMs);
    }

    await bench.warmUp(empty);
    await bench.warmUp(full);
    const [onEmpty, onFull] = [[], []];
    for (let round = 0; round < plan.slowRounds; round += 1) {
      for (const [server, rates] of [
        [empty, onEmpty],
        [full, onFull],
      ]) {
        const run = await loop.run({ url: server.url, connections: CONNECTIONS, seconds: plan.seconds });
        rates.push(run.requests / run.seconds);
      }
      results.add('stored', onFull[round] / onEmpty[round]);
    }
    const { bytes } = await full.statistics();
    results.note(
      'stored',
      `${numberText(median(onFull))}/s at ${CONNECTIONS} on ${numberText(bytes / 1e9)} GB, ${numberText(median(onEmpty))}/s on an empty store`,
    );
    await Promise.all([empty.stop(), full.stop()]);
    await supervisor.discard(folder);
  },
};

/** @param {import('./plans.mjs').Plan} plan */
function stored({ storedEvents: count }) {
  return `${count.toLocaleString('en')} stored events`;
}
