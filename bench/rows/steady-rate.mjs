import { setTimeout as pause } from 'node:timers/promises';
import { slope } from '../report/slope.mjs';
import { deliveryCounts } from '../servers/delivery-counts.mjs';

const CONNECTIONS = 64;

/** The backlog is steady if it grows by at most this share of the arrivals. */
const GROWTH = 0.03;

const SAMPLE_MS = 100;

/** Milliseconds for a backlog to drain between trials. */
const DRAIN_MS = 20_000;

/**
 * A server that receives and finishes.
 *
 * @typedef {import('../servers/start-peer.mjs').Server & { progress: () => Promise<Progress> }} Finisher
 * @typedef {{ received: number, finished: number }} Progress
 */

/**
 * @param {import('../servers/portaria.mjs').Portaria} portaria
 * @returns {Finisher & import('../servers/portaria.mjs').Portaria}
 */
export function finisher(portaria) {
  const counts = portaria.database.startsWith('postgres:')
    ? deliveryCounts(portaria.database)
    : async () => (await portaria.statistics()).deliveries;
  return {
    ...portaria,
    async progress() {
      const { pending = 0, running = 0, succeeded = 0 } = await counts();
      return { received: pending + running + succeeded, finished: succeeded };
    },
  };
}

/**
 * Reads the number of deliveries that a server has finished.
 *
 * @param {import('../servers/portaria.mjs').Portaria} portaria
 */
export function finishedBy(portaria) {
  const { progress } = finisher(portaria);
  return async () => (await progress()).finished;
}

/**
 * The highest rate with a steady backlog: the unlimited one, or the highest that was
 * tried. Zero if there is none.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {Finisher} server
 * @param {{ subjects?: number, trials?: number }} [options]
 */
export async function steadyRate(bench, server, { subjects = 0, trials = bench.plan.trials } = {}) {
  const flood = await runAt(bench, server, { perSecond: 0, subjects });
  if (flood.steady) return flood.received;
  let [kept, lost] = [0, flood.received];
  let rate = Math.max(flood.finished, flood.received / 4);
  for (let trial = 1; trial < trials; trial += 1) {
    const { steady, received } = await runAt(bench, server, { perSecond: Math.round(rate), subjects });
    if (steady) kept = Math.max(kept, received);
    else lost = Math.min(lost, rate);
    rate = (kept + lost) / 2;
  }
  return kept;
}

/**
 * @param {import('../bench.mjs').Bench} bench
 * @param {Finisher} server
 * @param {{ perSecond: number, subjects: number }} load 0 for no limit, and for a subject of each event
 * @returns {Promise<{ received: number, finished: number, steady: boolean }>} each second
 */
async function runAt({ plan, loop }, server, { perSecond, subjects }) {
  await drained(server);
  const [run, samples] = await Promise.all([
    loop.run({ url: server.url, connections: CONNECTIONS, seconds: plan.seconds, perSecond, subjects }),
    sample(server, plan.seconds * 1_000),
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
 * @param {Finisher} server
 * @param {number} milliseconds
 */
async function sample(server, milliseconds) {
  const startedAt = performance.now();
  const samples = [];
  while (performance.now() - startedAt < milliseconds) {
    samples.push({ at: performance.now() - startedAt, ...(await server.progress()) });
    await pause(SAMPLE_MS);
  }
  return samples;
}

/**
 * Waits until everything is finished.
 *
 * @param {Finisher} server
 * @param {number} [milliseconds]
 */
export async function drained(server, milliseconds = DRAIN_MS) {
  const until = performance.now() + milliseconds;
  for (;;) {
    const { received, finished } = await server.progress();
    if (received === finished) return;
    if (performance.now() > until) throw new Error(`${received - finished} deliveries are still unfinished`);
    await pause(20);
  }
}
