#!/usr/bin/env node
/**
 * Runs oxlint with type-aware rules. Without type information those rules report
 * nothing, so known violations must be found first.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './bootstrap/paths.mjs';
import { inViolationFixture } from './violation-fixture.mjs';

const linter = join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');

const fixture = {
  settings: ['.oxlintrc.json'],
  files: {
    'src/violation.ts': `async function violation(): Promise<void> {}\nviolation();\nconsole.log(process.env['VIOLATION']);\n`,
  },
};
const expected = ['no-floating-promises', 'no-console', 'no-process-env'];

const report = inViolationFixture(
  fixture,
  (cwd) => lint(['--format', 'unix'], { cwd, encoding: 'utf8' }).stdout,
);
const missed = expected.filter((rule) => !String(report).includes(rule));
if (missed.length > 0) {
  console.error(`lint: known violations were not found: ${missed.join(', ')}`);
  process.exit(1);
}
process.exit(lint(process.argv.slice(2), { cwd: root, stdio: 'inherit' }).status ?? 1);

/**
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnSyncOptions} options
 */
function lint(args, options) {
  return spawnSync(process.execPath, [linter, '--type-aware', '--deny-warnings', ...args], options);
}
