#!/usr/bin/env node
/**
 * Compares the CPU time of one webhook in several builds of Portaria: the cost of a
 * change, also on a busy machine.
 *
 *   node bench/compare-builds.mjs <checkout> <checkout>... [--rounds 5] [--seconds 4] [--rate 6000] [--finish]
 *                                 [--postgres]
 *
 * Build each checkout first (`npm run build`). Builds alternate, each round on an
 * empty store. `--finish` adds a handler that does nothing, and waits for it.
 * `--postgres` stores in PostgreSQL, whose processor time counts, too.
 */
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createSupervisor } from './lifetime/supervisor.mjs';
import { createClosedLoop } from './load/closed-loop.mjs';
import { median } from './report/spread.mjs';
import { familyTime, processTime } from './servers/cpu-time.mjs';
import { startPortaria } from './servers/portaria.mjs';

const { values: options, positionals: checkouts } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    rate: { type: 'string', default: '6000' },
    finish: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
  },
});
const [rounds, seconds, rate] = [options.rounds, options.seconds, options.rate].map(Number);

const supervisor = await createSupervisor(tmpdir());
try {
  const loop = await createClosedLoop(supervisor);
  const postgres = options.postgres
    ? await (await import('./servers/postgres.mjs')).startPostgres(supervisor)
    : undefined;
  const handlers = options.finish
    ? fileURLToPath(new URL('handlers/noop', import.meta.url))
    : await supervisor.folder('no-handlers');
  /** @type {Map<string, number[]>} */
  const costs = new Map(checkouts.map((checkout) => [checkout, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const checkout of round % 2 === 0 ? checkouts : checkouts.toReversed())
      costs.get(checkout)?.push(await measure(checkout, loop, handlers, postgres));
  const [first = 0] = [...costs.values()].map(median);
  for (const [checkout, all] of costs) {
    const middle = median(all);
    const range = `${Math.min(...all).toFixed(1)}-${Math.max(...all).toFixed(1)}`;
    console.log(
      `${middle.toFixed(1)} µs CPU a webhook (${range}), ${(middle / first).toFixed(3)}  ${checkout}`,
    );
  }
} finally {
  await supervisor.end();
}

/**
 * @param {string} checkout
 * @param {import('./load/closed-loop.mjs').ClosedLoop} loop
 * @param {string} handlers
 * @param {import('./servers/postgres.mjs').Postgres} [postgres]
 * @returns {Promise<number>} microseconds of CPU time for each webhook, of all threads and of PostgreSQL
 */
async function measure(checkout, loop, handlers, postgres) {
  const database = (await postgres?.database()) ?? `${await supervisor.folder('store')}/portaria.db`;
  const program = join(resolve(checkout), 'dist/src/cli/main.js');
  const portaria = await startPortaria(supervisor, { database, handlers, program });
  try {
    const { url } = portaria;
    await loop.run({ url, connections: 64, seconds: 2, perSecond: rate });
    await finished(portaria);
    const spent = () => processTime(portaria.pid) + (postgres === undefined ? 0 : familyTime(postgres.pid));
    const before = spent();
    const { requests } = await loop.run({ url, connections: 64, seconds, perSecond: rate });
    await finished(portaria);
    return (spent() - before) / requests;
  } finally {
    await portaria.stop();
  }
}

/** @param {import('./servers/portaria.mjs').Portaria} portaria */
async function finished(portaria) {
  if (!options.finish) return;
  while ((await portaria.statistics()).deliveries.pending > 0) await pause(50);
}
