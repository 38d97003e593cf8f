import { numberText } from '../report/number-text.mjs';
import { median } from '../report/spread.mjs';
import { startPeer } from '../servers/start-peer.mjs';
import { startPostgres } from '../servers/postgres.mjs';
import { startRedis } from '../servers/redis.mjs';

/**
 * Durable ingest (202 after fsync, validated and deduplicated) against other programs
 * on the same framework, each at its best number of connections.
 */
/** @type {import('./rows.mjs').Rows} */
export const ingest = {
  name: 'ingest',
  rows: () => [
    { id: 'bare', what: 'ingest / bare Hono', aim: { min: 0.6 } },
    { id: 'bullmq', what: 'ingest / Hono + BullMQ (Redis, appendfsync always)', aim: { min: 1.8 } },
    { id: 'pg-boss', what: 'ingest / Hono + pg-boss (PostgreSQL, fsync on)', aim: { min: 8 } },
  ],
  async measure(bench) {
    const { plan, loop, results } = bench;
    const queues = await Promise.all([
      startQueue(bench, 'bullmq', bullmq),
      startQueue(bench, 'pg-boss', pgBoss),
    ]);
    const ours = contestant('portaria', await bench.portaria());
    const peers = [contestant('bare', await bench.bareHono()), ...queues.flat()];
    for (const { server } of queues.flat()) await bench.warmUp(server);

    for (let round = 0; round < plan.rounds; round += 1) {
      for (const connections of plan.connections) {
        for (const { server, runs } of [...peers, ours]) {
          const run = await loop.run({ url: server.url, connections, seconds: plan.seconds });
          runs.push({ round, connections, perSecond: run.requests / run.seconds, p99: run.p99 });
        }
      }
      for (const peer of peers) results.add(peer.id, bestOf(ours, round) / bestOf(peer, round));
    }
    for (const peer of peers) results.note(peer.id, `${summary(ours, plan)}; ${summary(peer, plan)}`);
    await Promise.all(queues.flat().map(({ server }) => server.stop()));
  },
};

/**
 * @typedef {object} Contestant
 * @property {string} id
 * @property {import('../servers/start-peer.mjs').Server} server
 * @property {{ round: number, connections: number, perSecond: number, p99: number }[]} runs
 */

/**
 * @param {string} id
 * @param {import('../servers/start-peer.mjs').Server} server
 * @returns {Contestant}
 */
function contestant(id, server) {
  return { id, server, runs: [] };
}

/**
 * @param {Contestant} contestant
 * @param {number} round
 */
function bestOf({ runs }, round) {
  return Math.max(...runs.filter((run) => run.round === round).map(({ perSecond }) => perSecond));
}

/**
 * @param {Contestant} contestant
 * @param {import('./plans.mjs').Plan} plan
 */
function summary({ server, runs }, { connections }) {
  const counts = connections.map((count) => {
    const there = runs.filter((run) => run.connections === count);
    const perSecond = numberText(median(there.map((run) => run.perSecond)));
    return `${perSecond}/s at ${count} (p99 ${numberText(median(there.map((run) => run.p99)))} ms)`;
  });
  return `${server.name} ${counts.join(', ')}`;
}

/**
 * Starts a queue's server. If it is missing, the table gets the reason.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {string} id
 * @param {(bench: import('../bench.mjs').Bench) => Promise<import('../servers/start-peer.mjs').Server | string>} start
 * @returns {Promise<Contestant[]>}
 */
async function startQueue(bench, id, start) {
  try {
    const server = bench.peersMissing ?? (await start(bench));
    if (typeof server !== 'string') return [contestant(id, server)];
    bench.results.skip(id, server);
  } catch (error) {
    bench.results.skip(
      id,
      `it could not be started: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return [];
}

/** @param {import('../bench.mjs').Bench} bench */
async function bullmq({ supervisor }) {
  const redis = await startRedis(supervisor);
  if (redis === undefined) return 'no redis-server (or valkey-server) on PATH';
  const server = await startPeer(supervisor, 'BullMQ', 'bullmq.mjs', [String(redis.port)]);
  return { ...server, stop: () => server.stop().then(redis.stop) };
}

/** @param {import('../bench.mjs').Bench} bench */
async function pgBoss({ supervisor }) {
  const postgres = await startPostgres(supervisor);
  if (postgres === undefined)
    return 'no PostgreSQL (initdb, postgres, pg_isready) on PATH or in /usr/lib/postgresql/*/bin';
  const server = await startPeer(supervisor, 'pg-boss', 'pg-boss.mjs', [postgres.address]);
  return { ...server, stop: () => server.stop().then(postgres.stop) };
}
