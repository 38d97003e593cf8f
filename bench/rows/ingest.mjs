import { startPeer } from '../servers/start-peer.mjs';
import { startRedis } from '../servers/redis.mjs';
import { numberText } from '../report/number-text.mjs';
import { median } from '../report/spread.mjs';
import { bestRun, contest, contestant } from './contest.mjs';

/**
 * Durable ingest (202 after fsync, validated and deduplicated) against other programs
 * on the same framework, each at its best number of connections.
 */
/** @type {import('./rows.mjs').Rows} */
export const ingest = {
  name: 'ingest',
  rows: () => [
    {
      id: 'forty',
      what: "ingest / forty lines of one's own (SQLite, synchronous = FULL)",
      aim: { min: 4.5 },
    },
    { id: 'bare', what: 'ingest / bare Hono, which stores nothing' },
    { id: 'bound', what: 'ingest / what one JavaScript thread could do' },
    { id: 'bullmq', what: 'ingest / Hono + BullMQ (Redis, appendfsync always)', aim: { min: 1.8 } },
    { id: 'pg-boss', what: 'ingest / Hono + pg-boss (PostgreSQL, fsync on)', aim: { min: 8 } },
  ],
  async measure(bench) {
    const { plan } = bench;
    const queues = await Promise.all([
      startQueue(bench, 'bullmq', bullmq),
      startQueue(bench, 'pg-boss', pgBoss),
    ]);
    const ours = contestant('portaria', await bench.portaria());
    const bare = contestant('bare', await bench.bareHono());
    const peers = [contestant('forty', await bench.fortyLines()), bare, ...queues.flat()];
    for (const { server } of queues.flat()) await bench.warmUp(server);

    await contest(bench, ours, peers, plan.rounds);
    addBound(bench, ours, bare);
    await Promise.all(queues.flat().map(({ server }) => server.stop()));
  },
};

/**
 * The processor time of the main thread sets a bound to any program that runs JavaScript in one thread: more
 * webhooks than fit into a second of it cannot be received, whatever the disk and the other cores do.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {import('./contest.mjs').Contestant} ours
 * @param {import('./contest.mjs').Contestant} bare
 */
function addBound({ plan, results }, ours, bare) {
  for (let round = 0; round < plan.rounds; round += 1) {
    const { perSecond, mainThread } = bestRun(ours, round);
    results.add('bound', (perSecond * mainThread) / 1_000_000);
  }
  const [our, theirs] = [ours, bare].map(({ runs }) => median(runs.map((run) => run.mainThread)));
  results.note(
    'bound',
    `the main thread needs ${numberText(our ?? Number.NaN)} µs for a webhook, that of bare Hono ` +
      `${numberText(theirs ?? Number.NaN)} µs`,
  );
}

/**
 * Starts a queue's server. If it is missing, the table gets the reason.
 *
 * @param {import('../bench.mjs').Bench} bench
 * @param {string} id
 * @param {(bench: import('../bench.mjs').Bench) => Promise<import('../servers/start-peer.mjs').Server | string>} start
 * @returns {Promise<import('./contest.mjs').Contestant[]>}
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
async function pgBoss(bench) {
  const database = await (await bench.postgres()).database();
  return startPeer(bench.supervisor, 'pg-boss', 'pg-boss.mjs', [database]);
}
