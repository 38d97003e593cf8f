/**
 * Measures an engine of lanes by itself: events are accepted in transactions, and finished in order, one at a time in
 * each lane. It decides a question only: whether a lane is found by the rows of its deliveries, or by a job of pg-boss.
 *
 *   node bench/engine/run.mjs rows|pg-boss <address of an empty database> <events> <lanes>
 *
 * Both have the same tables, batches and locks. Prints the events each second, from the first transaction to the last
 * outcome, as a line of JSON; fails if an event was lost, repeated or out of order.
 */
import pg from 'pg';
import { pgBossEngine } from './pg-boss.mjs';
import { rowsEngine } from './rows.mjs';
import { createTables } from './tables.mjs';

/** Events of a transaction that accepts, and such transactions at once. */
const ACCEPTED = 128;
const ACCEPTING = 2;

/** Lanes that run at a time. */
const RUNNING = 256;

const [, , name = '', address = '', events = '0', lanes = '0'] = process.argv;
const [eventCount, laneCount] = [Number(events), Number(lanes)];
const pool = new pg.Pool({ connectionString: address, max: 4, pipeline: true });
await createTables(pool, laneCount);
const engine = await (name === 'rows' ? rowsEngine(pool) : pgBossEngine(pool, address));

const startedAt = performance.now();
let accepted = 0;
await Promise.all([...Array.from({ length: ACCEPTING }, accept), work()]);
const seconds = (performance.now() - startedAt) / 1_000;
await engine.stop();
await pool.end();
process.stdout.write(`${JSON.stringify({ perSecond: eventCount / seconds })}\n`);

async function accept() {
  while (accepted < eventCount) {
    const first = accepted;
    accepted = Math.min(first + ACCEPTED, eventCount);
    await engine.accept(Array.from({ length: accepted - first }, (_, at) => ((first + at) % laneCount) + 1));
  }
}

async function work() {
  /** @type {Map<number, number>} */
  const lastOf = new Map();
  /** The following events of lanes, which go on at once. @type {readonly import('./tables.mjs').Started[]} */
  let following = [];
  for (let finished = 0; finished < eventCount;) {
    const claimed = following.length < RUNNING ? await engine.claim(RUNNING - following.length) : [];
    const running = following.concat(claimed);
    if (running.length === 0) {
      await new Promise((resolve) => void setImmediate(resolve));
      continue;
    }
    for (const { id, lane } of running) {
      if (id <= (lastOf.get(lane) ?? 0)) throw new Error(`lane ${lane} was out of order`);
      lastOf.set(lane, id);
    }
    finished += running.length;
    following = await engine.finish(running);
  }
}
