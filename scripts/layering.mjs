#!/usr/bin/env node
/**
 * What may import what (`.dependency-cruiser.mjs`), and no import cycle.
 *
 * A cruise that resolved nothing would pass as well, so this first insists that
 * planted violations are found, and then that the sources were really read.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './bootstrap/paths.mjs';
import { inPlantedProject } from './planted.mjs';

const MIN_MODULES = 100;
const cruiser = join(root, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs');

const planted = {
  settings: ['.dependency-cruiser.mjs'],
  files: {
    'src/kernel/planted.ts': `import type { Store } from '../store/planted.ts';\nexport type Planted = Store;\n`,
    'src/store/planted.ts': `import type { Planted } from '../kernel/planted.ts';\nexport interface Store { planted: Planted }\n`,
    'src/receive/planted.ts': `import { sql } from 'kysely';\nexport const planted = sql;\n`,
    'provider/planted.ts': `export type { Store } from '../src/store/planted.ts';\n`,
    'src/ops/planted.ts': `export type { Store } from '../../provider/planted.ts';\n`,
    'handlers/planted.ts': `export { planted } from '../src/receive/planted.ts';\n`,
  },
};
const expected = [
  'layer-kernel',
  'no-cycle',
  'library-kysely',
  'layer-provider',
  'provider-as-outsider',
  'provider-by-its-entry',
  'handlers-as-outsiders',
];

const seen = new Set(inPlantedProject(planted, cruise).violations.map(({ rule }) => rule.name));
const missed = expected.filter((name) => !seen.has(name));
if (missed.length > 0) fail(`planted violations went unseen: ${missed.join(', ')}`);

const { violations, totalCruised } = cruise(root);
for (const { rule, from, to, cycle = [] } of violations) {
  const path = cycle.length > 0 ? [from, ...cycle.map(({ name }) => name)] : [from, to];
  console.error(`${rule.name}: ${path.join(' -> ')}`);
}
if (violations.length > 0) fail(`${violations.length} violations; the rules are in .dependency-cruiser.mjs`);
if (totalCruised < MIN_MODULES) fail(`only ${totalCruised} modules were read`);
console.log(`layering: ${totalCruised} modules, no violation, no cycle`);

/**
 * @typedef {{ rule: { name: string }, from: string, to: string, cycle?: { name: string }[] }} Violation
 * @param {string} cwd
 * @returns {{ violations: Violation[], totalCruised: number }}
 */
function cruise(cwd) {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [cruiser, '--config', '.dependency-cruiser.mjs', '--output-type', 'json', 'src', 'handlers', 'provider'],
    { cwd, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
  );
  try {
    return JSON.parse(stdout).summary;
  } catch {
    return fail(`dependency-cruiser gave no result: ${stderr.trim() || stdout.slice(0, 500)}`);
  }
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(`layering: ${message}`);
  process.exit(1);
}
