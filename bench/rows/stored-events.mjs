import { shortViolation } from '../load/violation.mjs';
import { numberText } from '../report/number-text.mjs';
import { median } from '../report/spread.mjs';
import { startPortaria } from '../servers/portaria.mjs';
import { prefill } from '../store/prefill.mjs';

const CONNECTIONS = 64;

/** The cost of a large store: at the start, for each event, and for operators. */
/** @type {import('./rows.mjs').Rows} */
export const storedEvents = {
  name: 'stored',
  rows: (plan) => [
    { id: 'ready', what: `ready after start with ${stored(plan)}`, aim: { max: 500 }, unit: 'ms' },
    { id: 'stored', what: `ingest with ${stored(plan)} / empty store`, aim: { min: 0.9 } },
    { id: 'pages', what: `pages of the console with ${stored(plan)}, p95`, aim: { max: 100 }, unit: 'ms' },
    { id: 'search', what: 'search of 100,000 payloads without a match', aim: { max: 1_000 }, unit: 'ms' },
  ],
  async measure(bench) {
    const { supervisor, plan, loop, results, noHandlers } = bench;
    const folder = await supervisor.folder('stored');
    const database = `${folder}/portaria.db`;
    const [empty] = await Promise.all([
      bench.freshPortaria(noHandlers),
      prefill(bench, {
        database,
        events: plan.storedEvents,
        body: shortViolation,
        handlers: noHandlers,
      }),
    ]);

    const start = () => startPortaria(supervisor, { database, handlers: noHandlers });
    let full = await start();
    for (let round = 0; round < plan.rounds; round += 1) {
      await full.stop();
      full = await start();
      results.add('ready', full.readyMs);
    }

    await bench.warmUp(empty);
    await bench.warmUp(full);
    const [onEmpty, onFull] = [[], []];
    for (let round = 0; round < plan.slowRounds; round += 1) {
      for (const [server, rates] of [
        [empty, onEmpty],
        [full, onFull],
      ]) {
        const run = await loop.run({ url: server.url, connections: CONNECTIONS, seconds: plan.seconds });
        rates.push(run.requests / run.seconds);
      }
      results.add('stored', onFull[round] / onEmpty[round]);
    }
    await measureConsole(bench, full);
    const { bytes } = await full.statistics();
    results.note(
      'stored',
      `${numberText(median(onFull))}/s at ${CONNECTIONS} on ${numberText(bytes / 1e9)} GB, ${numberText(median(onEmpty))}/s on an empty store`,
    );
    await Promise.all([empty.stop(), full.stop()]);
    await supervisor.discard(folder);
  },
};

/** Pages of the console and their filters, those that match nothing included. */
const PAGES = [
  '/events',
  '/events?after={middle}',
  '/events?kind=company.created',
  '/events?verdict=stale',
  '/events?flag=ambiguous',
  '/events?source=nowhere',
  '/events?status=dead',
  '/events?status=skipped',
  '/events?since=1m',
  '/events?until=7d',
  '/events?subject=company:1',
  '/failures',
  '/failures?handler=noop',
  '/quarantine',
  '/handlers',
  '/jobs',
  '/system',
  '/events/{middle}',
  '/',
];

/** Times that each page is opened. */
const VISITS = 10;

/**
 * @param {import('../bench.mjs').Bench} bench
 * @param {import('../servers/portaria.mjs').Portaria} full
 */
async function measureConsole({ plan, results }, full) {
  const { store_id: store } = await full.statistics();
  const middle = `${store}-${Math.floor(plan.storedEvents / 2)}`;
  for (const path of PAGES.map((page) => page.replace('{middle}', middle))) {
    /** @type {number[]} */
    const times = [];
    for (let visit = 0; visit < VISITS; visit += 1) times.push(await pageMs(full.operators, path));
    results.add('pages', times.sort((one, other) => one - other)[Math.ceil(VISITS * 0.95) - 1] ?? 0);
  }
  for (let round = 0; round < plan.slowRounds; round += 1)
    results.add('search', await searchMs(full.operators));
}

/**
 * @param {string} operators
 * @param {string} path
 */
async function pageMs(operators, path) {
  const startedAt = performance.now();
  const response = await fetch(operators + path, { headers: { accept: 'text/html' } });
  await response.text();
  if (!response.ok) throw new Error(`${path} got the response ${response.status}`);
  return performance.now() - startedAt;
}

/**
 * Milliseconds for 100,000 of the newest events, by as many as the page says it searched.
 *
 * @param {string} operators
 */
async function searchMs(operators) {
  const startedAt = performance.now();
  const where = encodeURIComponent('data.status = nothing');
  const response = await fetch(`${operators}/api/events?where=${where}`);
  const { searched } = /** @type {{ searched: { events: number } }} */ (await response.json());
  return ((performance.now() - startedAt) / searched.events) * 100_000;
}

/** @param {import('./plans.mjs').Plan} plan */
function stored({ storedEvents: count }) {
  return `${count.toLocaleString('en')} stored events`;
}
