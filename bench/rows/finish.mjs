import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { numberText } from '../report/number-text.mjs';
import { slope } from '../report/slope.mjs';
import { median } from '../report/spread.mjs';

const NOOP = fileURLToPath(new URL('../handlers/noop', import.meta.url));

const CONNECTIONS = 64;

/** The backlog is steady if it grows by at most this share of the arrivals. */
const GROWTH = 0.03;

const SAMPLE_MS = 100;

/** Milliseconds for a backlog to drain between trials. */
const DRAIN_MS = 20_000;

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
    const portaria = await bench.freshPortaria(NOOP);
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

/**
 * The highest rate with a steady backlog: the unlimited one, or the highest that was
 * tried. Zero if there is none.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {import('../servers/portaria.mjs').Portaria} portaria
 */
async function steadyRate(bench, portaria) {
  const flood = await runAt(bench, portaria, 0);
  if (flood.steady) return flood.received;
  let [kept, lost] = [0, flood.received];
  let rate = Math.max(flood.finished, flood.received / 4);
  for (let trial = 1; trial < bench.plan.trials; trial += 1) {
    const { steady, received } = await runAt(bench, portaria, Math.round(rate));
    if (steady) kept = Math.max(kept, received);
    else lost = Math.min(lost, rate);
    rate = (kept + lost) / 2;
  }
  return kept;
}

/**
 * @param {import('../bench.mjs').Bench} bench
 * @param {import('../servers/portaria.mjs').Portaria} portaria
 * @param {number} perSecond 0 for no limit
 * @returns {Promise<{ received: number, finished: number, steady: boolean }>} each second
 */
async function runAt({ plan, loop }, portaria, perSecond) {
  await drain(portaria);
  const [run, samples] = await Promise.all([
    loop.run({ url: portaria.url, connections: CONNECTIONS, seconds: plan.seconds, perSecond }),
    sample(portaria, plan.seconds * 1_000),
  ]);
  // The first half is not the steady state.
  const later = samples.slice(Math.floor(samples.length / 2));
  const seconds = later.map(({ at }) => at / 1_000);
  const growth = slope(
    seconds,
    later.map(({ received, finished }) => received - finished),
  );
  const received = run.requests / run.seconds;
  return {
    received,
    finished: slope(
      seconds,
      later.map(({ finished }) => finished),
    ),
    steady: growth <= received * GROWTH,
  };
}

/**
 * @param {import('../servers/portaria.mjs').Portaria} portaria
 * @param {number} milliseconds
 */
async function sample(portaria, milliseconds) {
  const startedAt = performance.now();
  const samples = [];
  while (performance.now() - startedAt < milliseconds) {
    samples.push({ at: performance.now() - startedAt, ...(await progress(portaria)) });
    await pause(SAMPLE_MS);
  }
  return samples;
}

/** @param {import('../servers/portaria.mjs').Portaria} portaria */
async function progress(portaria) {
  const { deliveries } = await portaria.statistics();
  const { pending, running, succeeded } = deliveries;
  return { received: pending + running + succeeded, finished: succeeded };
}

/** @param {import('../servers/portaria.mjs').Portaria} portaria */
async function drain(portaria) {
  const until = performance.now() + DRAIN_MS;
  for (;;) {
    const { received, finished } = await progress(portaria);
    if (received === finished) return;
    if (performance.now() > until) throw new Error(`${received - finished} deliveries are still unfinished`);
    await pause(20);
  }
}
