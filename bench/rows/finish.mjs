import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runPaced } from '../load/paced.mjs';
import { numberText } from '../report/number-text.mjs';
import { median } from '../report/spread.mjs';

const NOOP = fileURLToPath(new URL('../handlers/noop', import.meta.url));

const CONNECTIONS = 64;

/** What must be finished of what arrives in the second half of a trial: less means that the backlog grows. */
const KEPT_UP = 0.97;

/** How long a backlog may take to drain between trials, in milliseconds. */
const DRAIN_MS = 20_000;

/**
 * Receiving and finishing through a handler that does nothing: the highest
 * steady load at which the backlog does not grow.
 */
/** @type {import('./rows.mjs').Rows} */
export const finish = {
  name: 'finish',
  rows: () => [{ id: 'finish', what: 'receive and finish, backlog steady / bare Hono', aim: { least: 0.3 } }],
  async measure(bench) {
    const { plan, loop, results } = bench;
    const bare = await bench.bareHono();
    let guess = await guessRate(bench);
    const portaria = await bench.freshPortaria(NOOP);

    const rates = [];
    for (let round = 0; round < plan.slowRounds; round += 1) {
      const run = await loop.run({ url: bare.url, connections: CONNECTIONS, seconds: plan.seconds });
      const rate = await steadyRate(bench, portaria, guess);
      rates.push(rate);
      guess = rate || guess / 2;
      results.add('finish', rate / (run.requests / run.seconds));
    }
    results.note('finish', `Portaria keeps up with ${numberText(median(rates))}/s`);
    await portaria.stop();
  },
};

/**
 * What one core may keep up with: receiving alone and finishing alone are
 * measured one after the other, on a store that is left behind with its backlog.
 *
 * @param {import('../bench.mjs').Bench} bench
 */
async function guessRate(bench) {
  const { plan, loop } = bench;
  const portaria = await bench.freshPortaria(NOOP);
  const flood = { url: portaria.url, connections: CONNECTIONS, seconds: plan.warmUpSeconds };
  const before = await loop.run(flood);
  const start = await progress(portaria);
  const startedAt = performance.now();
  await pause(1_000);
  const finished = (await progress(portaria)).finished - start.finished;
  const perSecond = finished / ((performance.now() - startedAt) / 1_000);
  await portaria.kill();
  // All was finished before it could be looked at: as fast as it is received.
  if (start.received === start.finished) return before.requests / before.seconds;
  return 1 / (before.seconds / before.requests + 1 / perSecond);
}

/**
 * Zero when none of the loads that were tried was kept up with.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {import('../servers/portaria.mjs').Portaria} portaria
 * @param {number} guess
 */
async function steadyRate(bench, portaria, guess) {
  let [kept, lost] = [0, Infinity];
  let rate = guess;
  for (let trial = 0; trial < bench.plan.trials; trial += 1) {
    const reached = await keptUpAt(bench, portaria, Math.round(rate));
    if (reached === undefined) lost = Math.min(lost, rate);
    else kept = Math.max(kept, reached);
    if (kept === 0) rate *= 0.7;
    else if (lost === Infinity) rate *= 1.25;
    else rate = (kept + lost) / 2;
  }
  return kept;
}

/**
 * The rate that was reached, or undefined when the backlog grew.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {import('../servers/portaria.mjs').Portaria} portaria
 * @param {number} perSecond
 */
async function keptUpAt({ keeper, plan, loop }, portaria, perSecond) {
  await drain(portaria);
  const { url } = portaria;
  const load = {
    url,
    perSecond,
    connections: CONNECTIONS,
    seconds: plan.seconds,
    firstId: loop.reserveIds(),
  };
  const milliseconds = plan.seconds * 1_000;
  const half = pause(milliseconds / 2).then(() => progress(portaria));
  const end = pause(milliseconds).then(() => progress(portaria));
  const run = await runPaced(keeper, load);
  const [before, after] = [await half, await end];
  const [received, finished] = [after.received - before.received, after.finished - before.finished];
  const keptUp = finished >= received * KEPT_UP && run.answered >= perSecond * plan.seconds * KEPT_UP;
  return keptUp ? run.answered / run.seconds : undefined;
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
