#!/usr/bin/env node
/**
 * Measures Portaria beside others on this machine, and prints a table.
 *
 *   --quick          within a minute: shorter runs, fewer of them, smaller stores
 *   --only <names>   some rows: ingest,latency,finish,duplicates,replay,stored,memory
 *   --data <folder>  where stores lie while it runs; their disk is what is measured
 */
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { install } from './install.mjs';
import { createKeeper } from './lifetime/keeper.mjs';
import { createResults } from './report/results.mjs';
import { tableText } from './report/table.mjs';
import { fullPlan, quickPlan } from './rows/plans.mjs';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    data: { type: 'string', default: tmpdir() },
  },
});
const TIME_WAS_UP = 'the time was up';
const plan = options.quick ? quickPlan : fullPlan;
const peersMissing = install();

const startedAt = performance.now();
const keeper = await createKeeper(options.data);
process.once('SIGINT', () => void leave(130)).once('SIGTERM', () => void leave(143));

try {
  // Only now there is what these import.
  const { createBench } = await import('./bench.mjs');
  const { machineText } = await import('./report/machine.mjs');
  const { allRows } = await import('./rows/rows.mjs');

  const groups = chosen(allRows, options.only);
  const results = createResults(groups.flatMap(({ rows }) => rows(plan)));
  const bench = await createBench({ keeper, plan, results, peersMissing, say });
  console.log(`Portaria, ${plan.name} benchmark\n\n${machineText(keeper.root, bench.loop.name)}\n`);

  let isTimeUp = false;
  const timeIsUp = after(plan.limitSeconds * 1_000).then(() => void (isTimeUp = true));
  for (const { name, rows, measure } of groups) {
    say(name);
    const failure = isTimeUp
      ? TIME_WAS_UP
      : await Promise.race([
          measure(bench).then(() => undefined, messageOf),
          timeIsUp.then(() => TIME_WAS_UP),
        ]);
    if (failure !== undefined) for (const { id } of rows(plan)) results.skip(id, failure);
  }
  console.log(`\n${tableText(results.rows())}\n`);
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  await leave(0);
} catch (error) {
  console.error(error);
  await leave(1);
}

/**
 * @param {readonly import('./rows/rows.mjs').Rows[]} all
 * @param {string} [names]
 */
function chosen(all, names) {
  if (names === undefined) return all;
  const wanted = names.split(',');
  const unknown = wanted.filter((name) => !all.some((rows) => rows.name === name));
  if (unknown.length > 0) {
    throw new Error(
      `no rows named ${unknown.join(', ')}; there are ${all.map(({ name }) => name).join(', ')}`,
    );
  }
  return all.filter(({ name }) => wanted.includes(name));
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * @param {number} ms
 * @returns {Promise<void>}
 */
function after(ms) {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}

/** @param {string} text */
function say(text) {
  console.error(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${text}`);
}

/** @param {number} code */
async function leave(code) {
  await keeper.end();
  process.exit(code);
}
