/** Runs npm quietly. */
import { spawn } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { root } from './paths.mjs';

/** npm runs no install scripts and prints errors only. */
const QUIETLY = [
  '--loglevel=error',
  '--engine-strict=false',
  '--ignore-scripts',
  '--prefer-offline',
  '--no-audit',
  '--no-fund',
];

/**
 * Runs a program with its output on standard error.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {Promise<boolean>} whether it exited with 0
 */
export function run(command, args, cwd = root, env = process.env) {
  return new Promise((resolve, reject) => {
    const shell = process.platform === 'win32' && command === 'npm';
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 2, 2], shell });
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0));
  });
}

/**
 * Runs npm on this Node.js, quietly: the npm that runs this script, if there is one.
 *
 * @param {readonly string[]} args
 * @param {{ cwd?: string }} [options]
 */
export function npm(args, { cwd = root } = {}) {
  const self = process.env['npm_execpath'];
  if (self?.endsWith('npm-cli.js')) return run(process.execPath, [self, ...args, ...QUIETLY], cwd);
  // npm from PATH takes the first Node.js of PATH; on Windows, the one beside it.
  const path = [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  return run('npm', [...args, ...QUIETLY], cwd, { ...process.env, PATH: path });
}
