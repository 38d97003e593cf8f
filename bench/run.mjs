#!/usr/bin/env node
/**
 * `npm run bench`: measures Portaria beside other programs and prints a table.
 *
 *   --quick          at most two minutes: fewer and shorter runs, smaller stores
 *   --only <names>   these rows only: ingest,latency,finish,duplicates,replay,live,stored,memory,
 *                    scale (all on PostgreSQL), or one of them: scale-ingest, -latency, -finish, -receivers,
 *                    -blocked, -take-over, -engine, -stored
 *   --data <folder>  folder of the stores; its disk is measured
 */
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { install } from './install.mjs';
import { createSupervisor } from './lifetime/supervisor.mjs';
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
const TIME_WAS_UP = 'the time limit was reached';
const plan = options.quick ? quickPlan : fullPlan;
const peersMissing = install();

const startedAt = performance.now();
const supervisor = await createSupervisor(options.data);
process.once('SIGINT', () => void leave(130)).once('SIGTERM', () => void leave(143));

try {
  // `install` must run before these are loaded.
  const { createBench } = await import('./bench.mjs');
  const { machineText } = await import('./report/machine.mjs');
  const { allRows } = await import('./rows/rows.mjs');

  const groups = chosen(allRows, options.only);
  const results = createResults(groups.flatMap(({ rows }) => rows(plan)));
  const bench = await createBench({ supervisor, plan, results, peersMissing, report });
  console.log(`Portaria, ${plan.name} benchmark\n\n${machineText(supervisor.root, bench.loop.name)}\n`);

  let isTimeUp = false;
  const timeIsUp = after(plan.limitSeconds * 1_000).then(() => void (isTimeUp = true));
  for (const { name, rows, measure } of groups) {
    report(name);
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
  const isWanted = (/** @type {string} */ row, /** @type {string} */ name) =>
    row === name || row.startsWith(`${name}-`);
  const unknown = wanted.filter((name) => !all.some((rows) => isWanted(rows.name, name)));
  if (unknown.length > 0) {
    throw new Error(
      `unknown rows: ${unknown.join(', ')}; choose from ${all.map(({ name }) => name).join(', ')}`,
    );
  }
  return all.filter(({ name: row }) => wanted.some((name) => isWanted(row, name)));
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
function report(text) {
  console.error(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${text}`);
}

/** @param {number} code */
async function leave(code) {
  await supervisor.end();
  process.exit(code);
}
