import { fileURLToPath } from 'node:url';
import { numberText } from '../report/number-text.mjs';
import { median } from '../report/spread.mjs';
import { finisher, steadyRate } from './steady-rate.mjs';

const NOOP = fileURLToPath(new URL('../handlers/noop', import.meta.url));

const CONNECTIONS = 64;

/**
 * Receiving and finishing through a handler that does nothing: the highest
 * steady load at which the backlog does not grow.
 */
/** @type {import('./rows.mjs').Rows} */
export const finish = {
  name: 'finish',
  rows: () => [{ id: 'finish', what: 'receive and finish, backlog steady / bare Hono', aim: { min: 0.3 } }],
  async measure(bench) {
    const { plan, loop, results } = bench;
    const bare = await bench.bareHono();
    const portaria = finisher(await bench.freshPortaria(NOOP));
    await bench.warmUp(portaria);

    const rates = [];
    for (let round = 0; round < plan.slowRounds; round += 1) {
      const run = await loop.run({ url: bare.url, connections: CONNECTIONS, seconds: plan.seconds });
      const rate = await steadyRate(bench, portaria);
      rates.push(rate);
      results.add('finish', rate / (run.requests / run.seconds));
    }
    results.note('finish', `Portaria keeps up with ${numberText(median(rates))}/s`);
    await portaria.stop();
  },
};
