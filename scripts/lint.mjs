#!/usr/bin/env node
/**
 * oxlint with type-aware rules, after proof that they are at work: without type
 * information they fall silent, and silence looks like success.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './bootstrap/paths.mjs';
import { inPlantedProject } from './planted.mjs';

const linter = join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');

const planted = {
  settings: ['.oxlintrc.json'],
  files: {
    'src/planted.ts': `async function planted(): Promise<void> {}\nplanted();\nconsole.log(process.env['PLANTED']);\n`,
  },
};
const expected = ['no-floating-promises', 'no-console', 'no-process-env'];

const report = inPlantedProject(
  planted,
  (cwd) => lint(['--format', 'unix'], { cwd, encoding: 'utf8' }).stdout,
);
const missed = expected.filter((rule) => !String(report).includes(rule));
if (missed.length > 0) {
  console.error(`lint: planted violations went unseen: ${missed.join(', ')}`);
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
