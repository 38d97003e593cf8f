import { setTimeout as pause } from 'node:timers/promises';
import { numberText } from '../report/number-text.mjs';
import { median } from '../report/spread.mjs';

const CONNECTIONS = 64;

/** Milliseconds for requests that the generator did not wait for. */
const SETTLE_MS = 250;

/** Repeats of stored events against new events. */
/** @type {import('./rows.mjs').Rows} */
export const duplicates = {
  name: 'duplicates',
  rows: () => [{ id: 'duplicates', what: 'duplicates / new events', aim: { min: 1 } }],
  async measure(bench) {
    const { plan, loop, results } = bench;
    const portaria = await bench.portaria();
    const { url } = portaria;
    const [fresh, repeated] = [[], []];
    for (let round = 0; round < plan.rounds; round += 1) {
      const firstId = loop.reserveIds();
      const first = await loop.run({ url, connections: CONNECTIONS, seconds: plan.seconds, firstId });
      // The generator's threads drift apart: every thread has sent at least three quarters of its share.
      const cycle = Math.floor((first.requests / loop.threads) * 0.75);
      await pause(SETTLE_MS);
      const before = await portaria.statistics();
      // wrk generates a first request that it never sends.
      const known = { firstId: firstId + 1, cycle };
      const again = await loop.run({ url, connections: CONNECTIONS, seconds: plan.seconds, ...known });
      const after = await portaria.statistics();
      if (after.events !== before.events) {
        throw new Error(`${after.events - before.events} repeats were stored as new events`);
      }
      fresh.push(first.requests / first.seconds);
      repeated.push(again.requests / again.seconds);
      results.add('duplicates', repeated.at(-1) / fresh.at(-1));
    }
    results.note(
      'duplicates',
      `${numberText(median(repeated))} repeats/s, ${numberText(median(fresh))} new events/s at ${CONNECTIONS}`,
    );
  },
};
