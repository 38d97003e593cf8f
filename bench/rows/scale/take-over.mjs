import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { numberText } from '../../report/number-text.mjs';
import { startPortaria } from '../../servers/portaria.mjs';
import { queryOnce } from '../../servers/query-once.mjs';

const handlers = (/** @type {string} */ name) =>
  fileURLToPath(new URL(`../../handlers/${name}`, import.meta.url));

/** Milliseconds for anything to happen. */
const TIMEOUT_MS = 60_000;

/** From kill -9 of a receiver to the end of the last delivery that it was running, on another one. */
/** @type {import('../rows.mjs').Rows} */
export const scaleTakeOver = {
  name: 'scale-take-over',
  rows: () => [
    { id: 'scale-take-over', what: 'PostgreSQL: take-over after kill -9', aim: { max: 10 }, unit: 's' },
  ],
  async measure(bench) {
    const { supervisor, plan, loop, results } = bench;
    const postgres = await bench.postgres();
    for (let round = 0; round < plan.takeOverRounds; round += 1) {
      const database = await postgres.database();
      // Its handler never finishes, so it holds all that it could claim.
      const first = await startPortaria(supervisor, { database, handlers: handlers('hold') });
      await loop.run({ url: first.url, connections: 64, seconds: 1 });
      const second = await startPortaria(supervisor, { database, handlers: handlers('noop') });
      // The second one has finished all others.
      await until(
        () => waiting(database),
        (count) => count === 0,
      );
      const held = await running(database);
      if (held === 0) throw new Error('the receiver to kill holds no delivery');
      await first.kill();
      const killedAt = performance.now();
      await until(
        () => running(database),
        (count) => count === 0,
      );
      await until(
        () => waiting(database),
        (count) => count === 0,
      );
      results.add('scale-take-over', (performance.now() - killedAt) / 1_000);
      if (round === 0)
        results.note('scale-take-over', `${numberText(held)} deliveries of the killed receiver`);
      await second.stop();
    }
  },
};

/** @param {string} database */
const running = (database) => countOf(database, 'holder is not null');

/** @param {string} database */
const waiting = (database) => countOf(database, 'finished_at is null and holder is null');

/**
 * @param {string} database
 * @param {string} condition
 * @returns {Promise<number>}
 */
async function countOf(database, condition) {
  const [row] = await queryOnce(
    database,
    `select count(*)::integer as count from deliveries where ${condition}`,
  );
  return row.count;
}

/**
 * @param {() => Promise<number>} read
 * @param {(value: number) => boolean} isReached
 */
async function until(read, isReached) {
  for (const end = performance.now() + TIMEOUT_MS; performance.now() < end; await pause(20)) {
    const value = await read();
    if (isReached(value)) return value;
  }
  throw new Error('a receiver did not go on within a minute');
}
