import { startPeer } from '../../servers/start-peer.mjs';
import { startPortaria } from '../../servers/portaria.mjs';
import { contest, contestant } from '../contest.mjs';

/** Durable ingest on PostgreSQL (202 after its commit, validated and deduplicated) against pg-boss on the same server. */
/** @type {import('../rows.mjs').Rows} */
export const scaleIngest = {
  name: 'scale-ingest',
  rows: () => [{ id: 'scale-ingest', what: 'PostgreSQL: ingest / Hono + pg-boss send', aim: { min: 4 } }],
  async measure(bench) {
    const { ours, pgBoss } = await startBoth(bench);
    await contest(bench, contestant('', ours), [contestant('scale-ingest', pgBoss)], bench.plan.scaleRounds);
    await Promise.all([ours.stop(), pgBoss.stop()]);
  },
};

/**
 * Starts Portaria and Hono + pg-boss, each on a database of the same server, and warms them up.
 *
 * @param {import('../../bench.mjs').Bench} bench
 */
export async function startBoth(bench) {
  if (bench.peersMissing !== undefined) throw new Error(bench.peersMissing);
  const { supervisor, noHandlers } = bench;
  const postgres = await bench.postgres();
  const ours = await startPortaria(supervisor, { database: await postgres.database(), handlers: noHandlers });
  const pgBoss = await startPeer(supervisor, 'pg-boss', 'pg-boss.mjs', [await postgres.database()]);
  await bench.warmUp(ours);
  await bench.warmUp(pgBoss);
  return { ours, pgBoss };
}
