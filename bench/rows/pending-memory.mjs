import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { shortViolation } from '../load/violation.mjs';
import { numberText } from '../report/number-text.mjs';
import { median } from '../report/spread.mjs';
import { startPortaria } from '../servers/portaria.mjs';
import { prefill } from '../store/prefill.mjs';

const NOOP = fileURLToPath(new URL('../handlers/noop', import.meta.url));
const HOLD = fileURLToPath(new URL('../handlers/hold', import.meta.url));

/** Milliseconds until the memory of a process is measured. */
const SETTLE_MS = 1_500;

/** The memory of a backlog, which should stay on disk. */
/** @type {import('./rows.mjs').Rows} */
export const pendingMemory = {
  name: 'memory',
  rows: ({ pendingDeliveries }) => [
    {
      id: 'memory',
      what: `memory with ${pendingDeliveries.toLocaleString('en')} pending deliveries, over an idle process`,
      aim: { max: 60 },
      unit: 'MB',
    },
  ],
  async measure(bench) {
    const { supervisor, plan, results } = bench;
    const folder = await supervisor.folder('pending');
    const database = `${folder}/portaria.db`;
    await prefill(bench, { database, events: plan.pendingDeliveries, body: shortViolation, handlers: HOLD });

    const idle = [];
    const laden = [];
    for (let round = 0; round < plan.slowRounds; round += 1) {
      const empty = `${await supervisor.folder('idle')}/portaria.db`;
      const [withoutBacklog, withBacklog] = await Promise.all([
        settledMegabytes(supervisor, { database: empty, handlers: HOLD }),
        settledMegabytes(supervisor, { database, handlers: HOLD }),
      ]);
      idle.push(withoutBacklog);
      laden.push(withBacklog);
      results.add('memory', withBacklog - withoutBacklog);
    }
    const draining = await drainingMegabytes(bench, { database, handlers: NOOP });
    results.note(
      'memory',
      `${numberText(median(laden))} MB, idle ${numberText(median(idle))} MB; at most ${numberText(draining)} MB while it drains (resident)`,
    );
    await supervisor.discard(folder);
  },
};

/**
 * @param {import('../lifetime/supervisor.mjs').Supervisor} supervisor
 * @param {{ database: string, handlers: string }} options
 */
async function settledMegabytes(supervisor, options) {
  const portaria = await startPortaria(supervisor, options);
  await pause(SETTLE_MS);
  const megabytes = residentMegabytes(portaria.pid);
  await portaria.kill();
  return megabytes;
}

/**
 * @param {import('../bench.mjs').Bench} bench
 * @param {{ database: string, handlers: string }} options
 */
async function drainingMegabytes({ supervisor, plan }, options) {
  const portaria = await startPortaria(supervisor, options);
  let most = 0;
  for (const until = performance.now() + plan.seconds * 1_000; performance.now() < until; await pause(100)) {
    most = Math.max(most, residentMegabytes(portaria.pid));
  }
  await portaria.kill();
  return most;
}

/** @param {number} pid */
function residentMegabytes(pid) {
  const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return (Number(stdout) * 1_024) / 1e6;
}
