#!/usr/bin/env node
/**
 * Checks the import rules of `.dependency-cruiser.mjs`, which forbid cycles, too.
 *
 * A run that resolves no import would also pass. So known violations must be
 * found first, and a minimum number of modules must be read.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './bootstrap/paths.mjs';
import { inViolationFixture } from './violation-fixture.mjs';

const MIN_MODULES = 100;
const cruiser = join(root, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs');

const fixture = {
  settings: ['.dependency-cruiser.mjs'],
  files: {
    'src/kernel/violation.ts': `import type { Store } from '../store/violation.ts';\nexport type Violation = Store;\n`,
    'src/store/violation.ts': `import type { Violation } from '../kernel/violation.ts';\nexport interface Store { violation: Violation }\n`,
    'src/receive/violation.ts': `import { sql } from 'kysely';\nexport const violation = sql;\n`,
    'provider/violation.ts': `export type { Store } from '../src/store/violation.ts';\n`,
    'src/ops/violation.ts': `export type { Store } from '../../provider/violation.ts';\n`,
    'handlers/violation.ts': `export { violation } from '../src/receive/violation.ts';\n`,
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

const seen = new Set(inViolationFixture(fixture, cruise).violations.map(({ rule }) => rule.name));
const missed = expected.filter((name) => !seen.has(name));
if (missed.length > 0) fail(`known violations were not found: ${missed.join(', ')}`);

const { violations, totalCruised } = cruise(root);
for (const { rule, from, to, cycle = [] } of violations) {
  const path = cycle.length > 0 ? [from, ...cycle.map(({ name }) => name)] : [from, to];
  console.error(`${rule.name}: ${path.join(' -> ')}`);
}
if (violations.length > 0) fail(`${violations.length} violations of the rules in .dependency-cruiser.mjs`);
if (totalCruised < MIN_MODULES)
  fail(`only ${totalCruised} modules were read, at least ${MIN_MODULES} are expected`);
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
    return fail(`dependency-cruiser printed no result: ${stderr.trim() || stdout.slice(0, 500)}`);
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
