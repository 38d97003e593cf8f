#!/usr/bin/env node
/**
 * Checks the import rules of `.dependency-cruiser.mjs`, which forbid cycles, too.
 *
 * A run that resolves no import would also pass. So known violations must be
 * found first, and a minimum number of modules must be read. A permission that
 * no import uses fails, too: it would let a new coupling pass unseen.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { allowances } from '../.dependency-cruiser.mjs';
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
    'src/store/shared/violation.ts': 'export const violation = 1;\n',
    'src/view/violation.ts': `export { violation } from '../store/shared/violation.ts';\n`,
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
  'shared-inside-the-stores',
  'handlers-as-outsiders',
];

/** A permission of the rules that the fixture uses, and one that it does not use. */
const used = 'src/store may import src/kernel';
const unused = 'src/handle may import src/client';

const found = inViolationFixture(fixture, cruise);
const seen = new Set([...found.violations.map(({ rule }) => rule.name), ...unusedAllowances(found)]);
const missed = [...expected, unused].filter((name) => !seen.has(name));
if (missed.length > 0) fail(`known violations were not found: ${missed.join(', ')}`);
if (seen.has(used)) fail(`an import uses this permission, and it was not found: ${used}`);

const result = cruise(root);
const { violations, totalCruised } = result;
for (const { rule, from, to, cycle = [] } of violations) {
  const path = cycle.length > 0 ? [from, ...cycle.map(({ name }) => name)] : [from, to];
  console.error(`${rule.name}: ${path.join(' -> ')}`);
}
if (violations.length > 0) fail(`${violations.length} violations of the rules in .dependency-cruiser.mjs`);
const needless = unusedAllowances(result);
for (const name of needless) console.error(`no import uses it: ${name}`);
if (needless.length > 0)
  fail(`${needless.length} unused permissions in .dependency-cruiser.mjs; remove them`);
if (totalCruised < MIN_MODULES)
  fail(`only ${totalCruised} modules were read, at least ${MIN_MODULES} are expected`);
console.log(`layering: ${totalCruised} modules, no violation, no cycle`);

/**
 * The permissions that no import uses.
 *
 * @param {Result} result
 */
function unusedAllowances({ modules }) {
  return allowances
    .filter(
      ({ from, to }) =>
        !modules.some(
          ({ source, dependencies }) =>
            new RegExp(from.path).test(source) &&
            !from.pathNot.some((path) => new RegExp(path).test(source)) &&
            dependencies.some(({ resolved }) => new RegExp(to).test(resolved)),
        ),
    )
    .map(({ name }) => name);
}

/**
 * @typedef {{ rule: { name: string }, from: string, to: string, cycle?: { name: string }[] }} Violation
 * @typedef {{ source: string, dependencies: { resolved: string }[] }} Module
 * @typedef {{ violations: Violation[], totalCruised: number, modules: Module[] }} Result
 * @param {string} cwd
 * @returns {Result}
 */
function cruise(cwd) {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [cruiser, '--config', '.dependency-cruiser.mjs', '--output-type', 'json', 'src', 'handlers', 'provider'],
    { cwd, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
  );
  try {
    const { summary, modules } = JSON.parse(stdout);
    return { ...summary, modules };
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
