#!/usr/bin/env node
/**
 * Everything that must hold before a change is done. What only looks runs side
 * by side, one for each processor; after the first stage in which something
 * fails, it stops.
 *
 *   --skip-tests   the tests have just run, and what they ran is built
 *   --list         only say what would run
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { root } from './bootstrap/paths.mjs';

const { values: options } = parseArgs({
  options: { 'skip-tests': { type: 'boolean', default: false }, list: { type: 'boolean', default: false } },
});

/** @typedef {{ name: string, command: string[] }} Step */

/** The longest first. */
const looks = [
  'typecheck',
  'format:check',
  'lint',
  'layering',
  'dead-code',
  'file-shape',
  'supply-chain',
].map(script);

/** @type {Step[][]} One after the other; those of one stage run together. */
const stages = options['skip-tests']
  ? // What the tests ran is built, and nothing builds it anew while others look at it.
    [[bootstrap('install and build')], [...looks, script('package-check')]]
  : [
      [bootstrap('install', '--install-only')],
      looks,
      [script('build')],
      [script('test')],
      [script('package-check')],
    ];
const steps = stages.flat();

if (options.list) {
  for (const { name, command } of steps) console.log(`${name}: ${command.join(' ')}`);
  process.exit();
}

const started = performance.now();
for (const stage of stages) {
  const failed = await runAll(stage);
  if (failed.length === 0) continue;
  const commands = failed.map(({ command }) => `\`${command.join(' ')}\``);
  console.error(`\nverify: failed; once mended, run ${commands.join(' and ')}, or all of it again.`);
  process.exit(1);
}
console.log(`\nverify: all ${steps.length} steps passed in ${seconds(started)}`);

/**
 * @param {string} name
 * @param {readonly string[]} flags
 * @returns {Step}
 */
function bootstrap(name, ...flags) {
  return { name, command: ['node', 'scripts/bootstrap.mjs', ...flags] };
}

/**
 * @param {string} name of one of package.json's
 * @returns {Step}
 */
function script(name) {
  return { name, command: ['npm', 'run', '--silent', name] };
}

/**
 * @param {readonly Step[]} stage
 * @returns {Promise<Step[]>} what failed
 */
async function runAll(stage) {
  /** @type {Step[]} */
  const failed = [];
  const waiting = [...stage];
  const lanes = Array.from({ length: availableParallelism() }, async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      if (!(await runStep(step, stage.length === 1))) failed.push(step);
    }
  });
  await Promise.all(lanes);
  return failed;
}

/**
 * @param {Step} step
 * @param {boolean} alone its output is shown as it comes; else when it has ended, for others write meanwhile
 */
async function runStep({ name, command }, alone) {
  const stepStarted = performance.now();
  if (alone) console.log(`\n== ${name}`);
  const { passed, output } = await run(command, alone ? 'inherit' : 'pipe');
  if (!alone) process.stdout.write(`\n== ${name}\n${output}`);
  console.log(`== ${name}: ${passed ? 'ok' : 'FAILED'} (${seconds(stepStarted)})`);
  return passed;
}

/**
 * @param {string[]} command
 * @param {'inherit' | 'pipe'} output
 * @returns {Promise<{ passed: boolean, output: string }>}
 */
function run([program = 'node', ...args], output) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: root,
      stdio: ['ignore', output, output],
      shell: process.platform === 'win32',
    });
    let written = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => (written += text));
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ passed: code === 0, output: written }));
  });
}

/** @param {number} since */
function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
