import { median } from '../report/spread.mjs';
import { numberText } from '../report/number-text.mjs';
import { startPeer } from '../servers/start-peer.mjs';
import { startPostgres } from '../servers/postgres.mjs';
import { startRedis } from '../servers/redis.mjs';

/** Durable ingest (202 after fsync, validated and deduplicated) against others on the same framework. */
/** @type {import('./rows.mjs').Rows} */
export const ingest = {
  name: 'ingest',
  rows: () => [
    { id: 'bare', what: 'ingest / bare Hono', aim: { least: 0.6 } },
    { id: 'bullmq', what: 'ingest / Hono + BullMQ (Redis, appendfsync always)', aim: { least: 1.8 } },
    { id: 'pg-boss', what: 'ingest / Hono + pg-boss (PostgreSQL, fsync on)', aim: { least: 8 } },
  ],
  async measure(bench) {
    const { plan, loop, results } = bench;
    const portaria = await bench.portaria();
    const peers = [
      { id: 'bare', server: await bench.bareHono() },
      ...(await startQueue(bench, 'bullmq', bullmq)),
      ...(await startQueue(bench, 'pg-boss', pgBoss)),
    ];
    const contestants = [...peers, { id: 'portaria', server: portaria }];
    const seen = new Map(contestants.map(({ id }) => [id, /** @type {Best[]} */ ([])]));

    for (let round = 0; round < plan.rounds; round += 1) {
      for (const connections of plan.connections) {
        for (const { id, server } of contestants) {
          const run = await loop.run({ url: server.url, connections, seconds: plan.seconds });
          const best = { connections, perSecond: run.requests / run.seconds, p99: run.p99 };
          const before = seen.get(id)?.[round];
          if (before === undefined || before.perSecond < best.perSecond) seen.get(id)?.splice(round, 1, best);
        }
      }
      const ours = seen.get('portaria')?.[round]?.perSecond ?? 0;
      for (const { id } of peers) results.add(id, ours / (seen.get(id)?.[round]?.perSecond ?? Infinity));
    }
    for (const { id, server } of peers) {
      results.note(
        id,
        `${summary(portaria.name, seen.get('portaria'))}; ${summary(server.name, seen.get(id))}`,
      );
    }
    await Promise.all(peers.slice(1).map(({ server }) => server.stop()));
  },
};

/**
 * @typedef {{ connections: number, perSecond: number, p99: number }} Best
 * @typedef {{ id: string, server: import('../servers/start-peer.mjs').Server }} Peer
 */

/**
 * @param {string} name
 * @param {readonly Best[]} [rounds]
 */
function summary(name, rounds = []) {
  const at = rounds.filter(({ connections }) => connections === 64).length * 2 >= rounds.length ? 64 : 256;
  const perSecond = numberText(median(rounds.map((best) => best.perSecond)));
  return `${name} ${perSecond}/s (p99 ${numberText(median(rounds.map((best) => best.p99)))} ms, mostly best at ${at})`;
}

/**
 * A queue's server, or none and a reason in the table.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {string} id
 * @param {(bench: import('../bench.mjs').Bench) => Promise<import('../servers/start-peer.mjs').Server | string>} start
 * @returns {Promise<Peer[]>}
 */
async function startQueue(bench, id, start) {
  try {
    const server = bench.peersMissing ?? (await start(bench));
    if (typeof server === 'string') {
      bench.results.skip(id, server);
      return [];
    }
    await bench.warmUp(server);
    return [{ id, server }];
  } catch (error) {
    bench.results.skip(
      id,
      `it could not be started: ${error instanceof Error ? error.message : String(error)}`,
    );
    return [];
  }
}

/** @param {import('../bench.mjs').Bench} bench */
async function bullmq({ keeper }) {
  const redis = await startRedis(keeper);
  if (redis === undefined) return 'no redis-server (or valkey-server) on PATH';
  const server = await startPeer(keeper, 'BullMQ', 'bullmq.mjs', [String(redis.port)]);
  return { ...server, stop: () => server.stop().then(redis.stop) };
}

/** @param {import('../bench.mjs').Bench} bench */
async function pgBoss({ keeper }) {
  const postgres = await startPostgres(keeper);
  if (postgres === undefined) return 'no PostgreSQL (initdb) on PATH or in /usr/lib/postgresql/*/bin';
  const server = await startPeer(keeper, 'pg-boss', 'pg-boss.mjs', [postgres.address]);
  return { ...server, stop: () => server.stop().then(postgres.stop) };
}
