import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { numberText } from '../../report/number-text.mjs';
import { median } from '../../report/spread.mjs';
import { startPortaria } from '../../servers/portaria.mjs';
import { startPostgres } from '../../servers/postgres.mjs';
import { queryOnce } from '../../servers/query-once.mjs';
import { burstRate } from '../burst-rate.mjs';
import { finishedBy } from '../steady-rate.mjs';

const NOOP = fileURLToPath(new URL('../../handlers/noop', import.meta.url));

/** Milliseconds after which PostgreSQL's connections have reported what they did. */
const REPORTED_MS = 1_500;

/**
 * Two receivers on one database against one, each at its best number of connections, which two share; and what an event
 * costs the database.
 */
/** @type {import('../rows.mjs').Rows} */
export const scaleReceivers = {
  name: 'scale-receivers',
  rows: () => [
    {
      id: 'scale-receivers',
      what: 'PostgreSQL: receive and finish with 2 receivers / 1',
      aim: { min: 1 },
    },
  ],
  async measure(bench) {
    const { supervisor, plan, results } = bench;
    const postgres = await bench.postgres();
    const start = (/** @type {string} */ database) => startPortaria(supervisor, { database, handlers: NOOP });
    const alone = await start(await postgres.database());
    const shared = await postgres.database();
    const pair = [await start(shared), await start(shared)];
    for (const server of [alone, ...pair]) await bench.warmUp(server);
    await pause(REPORTED_MS);

    /** @type {Map<number, { one: number[], two: number[] }>} */
    const rates = new Map(plan.connections.map((connections) => [connections, { one: [], two: [] }]));
    for (let round = 0; round < plan.slowRounds; round += 1) {
      for (const [connections, { one, two }] of rates) {
        one.push((await burstRate(bench, [alone], finishedBy(alone), connections)).perSecond);
        two.push((await burstRate(bench, pair, finishedBy(pair[0]), connections)).perSecond);
      }
      const best = (/** @type {'one' | 'two'} */ which) =>
        Math.max(...[...rates.values()].map((runs) => runs[which][round]));
      results.add('scale-receivers', best('two') / best('one'));
    }
    await Promise.all([alone, ...pair].map((server) => server.stop()));
    const shown = [...rates].map(
      ([connections, { one, two }]) =>
        `${numberText(median(one))}/s with one and ${numberText(median(two))}/s with two at ${connections} connections`,
    );
    results.note('scale-receivers', `${shown.join(', ')}; ${await costText(bench)}`);
  },
};

/**
 * Commits and statements of each event, received and finished, under full load. Statements need a library that may not
 * be installed, and are counted on a server of their own.
 *
 * @param {import('../../bench.mjs').Bench} bench
 */
async function costText(bench) {
  const { supervisor } = bench;
  const counting = await startPostgres(supervisor, ['shared_preload_libraries=pg_stat_statements']).catch(
    () => undefined,
  );
  const postgres = counting ?? (await bench.postgres());
  const database = await postgres.database();
  if (counting !== undefined) await queryOnce(database, 'create extension pg_stat_statements');
  const portaria = await startPortaria(supervisor, { database, handlers: NOOP });
  await bench.warmUp(portaria);
  await pause(REPORTED_MS);
  const before = await countsOf(database, counting !== undefined);
  const { events } = await burstRate(bench, [portaria], finishedBy(portaria));
  await pause(REPORTED_MS);
  const after = await countsOf(database, counting !== undefined);
  await portaria.stop();
  await counting?.stop();
  const each = (/** @type {'commits' | 'statements'} */ name) =>
    numberText((after[name] - before[name]) / events);
  const statements = counting === undefined ? 'statements unknown' : `${each('statements')} statements`;
  return `an event costs ${each('commits')} commits and ${statements}`;
}

/**
 * @param {string} database
 * @param {boolean} withStatements
 * @returns {Promise<{ commits: number, statements: number }>}
 */
async function countsOf(database, withStatements) {
  const [row] = await queryOnce(
    database,
    `select xact_commit::float8 as commits,
      ${withStatements ? '(select sum(calls) from pg_stat_statements where dbid = datid)' : '0'}::float8 as statements
    from pg_stat_database where datname = current_database()`,
  );
  return row;
}
