#!/usr/bin/env node
/**
 * Profiles Portaria under load, by part of the program and by function.
 *
 *   node bench/profile.mjs [--handlers none|noop] [--connections 64] [--seconds 8] [--rate <n>] [--keep <folder>]
 *
 * Without a rate, the load is maximal, which leaves handlers little time.
 */
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { install } from './install.mjs';
import { createSupervisor } from './lifetime/supervisor.mjs';
import { createClosedLoop } from './load/closed-loop.mjs';
import { readCpuProfile } from './profile/cpu-profile.mjs';
import { partOf } from './profile/parts.mjs';
import { startPortaria } from './servers/portaria.mjs';

const { values: options } = parseArgs({
  options: {
    handlers: { type: 'string', default: 'none' },
    connections: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '8' },
    rate: { type: 'string' },
    keep: { type: 'string' },
  },
});

install();
const supervisor = await createSupervisor(tmpdir());
try {
  const loop = await createClosedLoop(supervisor);
  const folder = await supervisor.folder('profile');
  const handlers =
    options.handlers === 'none'
      ? await supervisor.folder('no-handlers')
      : fileURLToPath(new URL(`handlers/${options.handlers}`, import.meta.url));
  const portaria = await startPortaria(supervisor, {
    database: join(folder, 'portaria.db'),
    handlers,
    graceMs: 0,
    nodeArgs: ['--cpu-prof', '--cpu-prof-dir', folder],
  });
  const { url } = portaria;
  const load = { url, connections: Number(options.connections), seconds: Number(options.seconds) };
  const run = await loop.run({ ...load, perSecond: Number(options.rate ?? 0) });
  const { deliveries } = await portaria.statistics();
  await portaria.stop();
  const name = readdirSync(folder).find((file) => file.endsWith('.cpuprofile'));
  if (name === undefined) throw new Error('no profile was written');
  if (options.keep !== undefined) {
    mkdirSync(options.keep, { recursive: true });
    copyFileSync(join(folder, name), join(options.keep, name));
  }

  const samples = readCpuProfile(join(folder, name), /\/src\/(receive|dispatch)\//);
  console.log(
    `${run.requests} events in ${run.seconds.toFixed(1)} s (${(run.requests / run.seconds).toFixed(0)}/s), ${deliveries.succeeded} deliveries finished\n`,
  );
  print(
    'part',
    sumBy(samples, ({ stack }) => partOf(stack)),
    run.requests,
    40,
  );
  print(
    'function (self time)',
    sumBy(samples, ({ stack }) => functionName(stack)),
    run.requests,
    30,
  );
} finally {
  await supervisor.end();
}

/**
 * @param {readonly import('./profile/cpu-profile.mjs').Sample[]} samples
 * @param {(sample: import('./profile/cpu-profile.mjs').Sample) => string} key
 */
function sumBy(samples, key) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  for (const sample of samples) sums.set(key(sample), (sums.get(key(sample)) ?? 0) + sample.ms);
  return [...sums].sort(([, one], [, other]) => other - one);
}

/** @param {readonly import('./profile/cpu-profile.mjs').Frame[]} stack */
function functionName([frame, ...callers]) {
  if (frame === undefined) return '?';
  const place = frame.url.replace(/^.*(node_modules|src)\//u, '').replace(/^file:\/\//u, '');
  if (place !== '') return `${frame.name} ${place}:${frame.line}`;
  const caller = callers.find(({ url }) => url !== '');
  return caller === undefined ? frame.name : `${frame.name} (native) < ${functionName([caller])}`;
}

/**
 * @param {string} title
 * @param {readonly (readonly [string, number])[]} sums
 * @param {number} events
 * @param {number} most
 */
function print(title, sums, events, most) {
  const total = sums.reduce((sum, [, ms]) => sum + ms, 0);
  console.log(`us/event      %  ${title}`);
  for (const [name, ms] of sums.slice(0, most)) {
    console.log(
      `${((ms * 1_000) / events).toFixed(2).padStart(8)}  ${((ms / total) * 100).toFixed(1).padStart(5)}  ${name}`,
    );
  }
  console.log('');
}
