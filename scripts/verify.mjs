#!/usr/bin/env node
/**
 * Everything that must hold before a change is done, quickest first; stops at
 * the first that does not.
 *
 *   --skip-tests   the tests have just run
 *   --list         only say what would run
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { root } from './bootstrap/paths.mjs';

const { values: options } = parseArgs({
  options: { 'skip-tests': { type: 'boolean', default: false }, list: { type: 'boolean', default: false } },
});

/** @type {{ name: string, command: string[] }[]} */
const steps = [
  { name: 'install', command: ['node', 'scripts/bootstrap.mjs', '--install-only'] },
  { name: 'format', command: ['npm', 'run', '--silent', 'format:check'] },
  { name: 'file shape', command: ['npm', 'run', '--silent', 'file-shape'] },
  { name: 'lint', command: ['npm', 'run', '--silent', 'lint'] },
  { name: 'typecheck', command: ['npm', 'run', '--silent', 'typecheck'] },
  { name: 'layering and cycles', command: ['npm', 'run', '--silent', 'layering'] },
  { name: 'dead code', command: ['npm', 'run', '--silent', 'dead-code'] },
  { name: 'build', command: ['npm', 'run', '--silent', 'build'] },
  ...(options['skip-tests'] ? [] : [{ name: 'tests', command: ['npm', 'run', '--silent', 'test'] }]),
  { name: 'package check', command: ['npm', 'run', '--silent', 'package-check'] },
];

if (options.list) {
  for (const { name, command } of steps) console.log(`${name}: ${command.join(' ')}`);
  process.exit();
}

const started = performance.now();
for (const { name, command } of steps) {
  console.log(`\n== ${name}`);
  const stepStarted = performance.now();
  const passed = await run(command);
  console.log(`== ${name}: ${passed ? 'ok' : 'FAILED'} (${seconds(stepStarted)})`);
  if (!passed) {
    console.error(
      `\nverify: failed at ${name}; once mended, run \`${command.join(' ')}\` or all of it again.`,
    );
    process.exit(1);
  }
}
console.log(`\nverify: all ${steps.length} steps passed in ${seconds(started)}`);

/**
 * @param {string[]} command
 * @returns {Promise<boolean>}
 */
function run([program = 'node', ...args]) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      shell: process.platform === 'win32',
    });
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0));
  });
}

/** @param {number} since */
function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
