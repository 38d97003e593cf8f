#!/usr/bin/env node
/**
 * Runs every check that a change must pass. Checks that only read run in parallel,
 * one for each processor. It stops after the first stage with a failure.
 *
 *   --skip-tests   do not build and test: both have just been done
 *   --list         print the steps and exit
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { root } from './bootstrap/paths.mjs';

const { values: options } = parseArgs({
  options: { 'skip-tests': { type: 'boolean', default: false }, list: { type: 'boolean', default: false } },
});

/** @typedef {{ name: string, command: string[] }} Step */

/** Checks that only read, the longest first. */
const readOnlyChecks = [
  'typecheck',
  'format:check',
  'lint',
  'layering',
  'dead-code',
  'file-shape',
  'supply-chain',
].map(script);

/** @type {Step[][]} Stages run one after the other, the steps of a stage in parallel. */
const stages = options['skip-tests']
  ? // The tests have built `dist`, so package-check can run beside the others.
    [[bootstrap('install and build')], [...readOnlyChecks, script('package-check')]]
  : [
      [bootstrap('install', '--install-only')],
      readOnlyChecks,
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
  console.error(`\nverify: failed; after the fix, run ${commands.join(' and ')}, or all of it again.`);
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
 * @returns {Promise<Step[]>} the steps that failed
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
 * @param {boolean} alone streams its output; the output of parallel steps is printed when each has ended
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
