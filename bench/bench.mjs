import { createClosedLoop } from './load/closed-loop.mjs';
import { startPeer } from './servers/start-peer.mjs';
import { startPortaria } from './servers/portaria.mjs';

/**
 * What every row uses.
 *
 * @typedef {object} Bench
 * @property {import('./lifetime/supervisor.mjs').Supervisor} supervisor
 * @property {import('./rows/plans.mjs').Plan} plan
 * @property {import('./report/results.mjs').Results} results
 * @property {import('./load/closed-loop.mjs').ClosedLoop} loop
 * @property {() => Promise<import('./servers/start-peer.mjs').Server>} bareHono started and warmed up once
 * @property {() => Promise<import('./servers/start-peer.mjs').Server>} fortyLines a receiver of one's own; the same
 * @property {() => Promise<import('./servers/portaria.mjs').Portaria>} portaria without handlers; started and warmed up once
 * @property {(handlers: string) => Promise<import('./servers/portaria.mjs').Portaria>} freshPortaria on an empty file
 * @property {() => Promise<import('./servers/postgres.mjs').Postgres>} postgres started once; rejects where it is missing
 * @property {string} noHandlers an empty folder
 * @property {string | undefined} peersMissing why programs of the benchmark's own packages cannot be compared
 * @property {(server: import('./servers/start-peer.mjs').Server) => Promise<void>} warmUp
 * @property {(text: string) => void} report progress
 */

/**
 * @param {Pick<Bench, 'supervisor' | 'plan' | 'results' | 'peersMissing' | 'report'>} deps
 * @returns {Promise<Bench>}
 */
export async function createBench({ supervisor, plan, results, peersMissing, report }) {
  const loop = await createClosedLoop(supervisor);
  const noHandlers = await supervisor.folder('no-handlers');

  /** @type {Bench['warmUp']} */
  const warmUp = async ({ url }) =>
    void (await loop.run({ url, connections: 64, seconds: plan.warmUpSeconds }));
  /** @type {Bench['freshPortaria']} */
  const freshPortaria = async (handlers) =>
    startPortaria(supervisor, { database: `${await supervisor.folder('store')}/portaria.db`, handlers });
  /** @type {Promise<import('./servers/postgres.mjs').Postgres> | undefined} */
  let postgres;
  async function startOnce() {
    // It needs a package of the benchmark's own.
    const { startPostgres } = await import('./servers/postgres.mjs');
    return startPostgres(supervisor);
  }
  /**
   * @template {import('./servers/start-peer.mjs').Server} S
   * @param {() => Promise<S>} start
   */
  const onceWarm = (start) => {
    /** @type {Promise<S> | undefined} */
    let server;
    return () =>
      (server ??= start().then(async (started) => {
        await warmUp(started);
        return started;
      }));
  };

  return {
    supervisor,
    plan,
    results,
    loop,
    noHandlers,
    peersMissing,
    report,
    warmUp,
    freshPortaria,
    postgres: () => (postgres ??= startOnce()),
    bareHono: onceWarm(() => startPeer(supervisor, 'bare Hono', 'bare-hono.mjs')),
    fortyLines: onceWarm(async () =>
      startPeer(supervisor, 'forty lines', 'forty-lines.mjs', [
        `${await supervisor.folder('forty-lines')}/webhooks.db`,
      ]),
    ),
    portaria: onceWarm(() => freshPortaria(noHandlers)),
  };
}
