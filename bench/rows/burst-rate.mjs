import { setTimeout as pause } from 'node:timers/promises';

/** Connections of a burst, unless a row has others. */
const CONNECTIONS = 64;

/** Milliseconds until everything of a burst is finished. */
const TIMEOUT_MS = 60_000;

/**
 * Receives at the maximum rate for a while, and waits until all of it is finished: events each second, from the first
 * request to the last outcome.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {readonly import('../servers/start-peer.mjs').Server[]} receivers which share the load evenly
 * @param {() => Promise<number>} finished the number of deliveries finished so far
 * @param {number} [all] connections of all receivers together
 */
export async function burstRate({ plan, loop }, receivers, finished, all = CONNECTIONS) {
  const before = await finished();
  const startedAt = performance.now();
  const connections = all / receivers.length;
  const runs = await Promise.all(
    receivers.map(({ url }) => loop.run({ url, connections, seconds: plan.seconds })),
  );
  const events = runs.reduce((sum, { requests }) => sum + requests, 0);
  while ((await finished()) - before < events) {
    if (performance.now() - startedAt > TIMEOUT_MS)
      throw new Error('a burst was not finished within a minute');
    await pause(20);
  }
  return { events, perSecond: (events * 1_000) / (performance.now() - startedAt) };
}
