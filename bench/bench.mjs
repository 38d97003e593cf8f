import { createClosedLoop } from './load/closed-loop.mjs';
import { startPeer } from './servers/start-peer.mjs';
import { startPortaria } from './servers/portaria.mjs';

/**
 * What every row has at hand.
 *
 * @typedef {object} Bench
 * @property {import('./lifetime/keeper.mjs').Keeper} keeper
 * @property {import('./rows/plans.mjs').Plan} plan
 * @property {import('./report/results.mjs').Results} results
 * @property {import('./load/closed-loop.mjs').ClosedLoop} loop
 * @property {() => Promise<import('./servers/start-peer.mjs').Server>} bareHono started once, and warm
 * @property {() => Promise<import('./servers/portaria.mjs').Portaria>} portaria without handlers; started once, and warm
 * @property {(handlers: string) => Promise<import('./servers/portaria.mjs').Portaria>} freshPortaria on an empty store
 * @property {string} noHandlers an empty folder
 * @property {string | undefined} peersMissing why there is nothing to compare with but bare Hono
 * @property {(server: import('./servers/start-peer.mjs').Server) => Promise<void>} warmUp
 * @property {(text: string) => void} say progress
 */

/**
 * @param {Pick<Bench, 'keeper' | 'plan' | 'results' | 'peersMissing' | 'say'>} parts
 * @returns {Promise<Bench>}
 */
export async function createBench({ keeper, plan, results, peersMissing, say }) {
  const loop = await createClosedLoop(keeper);
  const noHandlers = await keeper.folder('no-handlers');

  /** @type {Bench['warmUp']} */
  const warmUp = async ({ url }) =>
    void (await loop.run({ url, connections: 64, seconds: plan.warmUpSeconds }));
  /** @type {Bench['freshPortaria']} */
  const freshPortaria = async (handlers) =>
    startPortaria(keeper, { database: `${await keeper.folder('store')}/portaria.db`, handlers });
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
    keeper,
    plan,
    results,
    loop,
    noHandlers,
    peersMissing,
    say,
    warmUp,
    freshPortaria,
    bareHono: onceWarm(() => startPeer(keeper, 'bare Hono', 'bare-hono.mjs')),
    portaria: onceWarm(() => freshPortaria(noHandlers)),
  };
}
