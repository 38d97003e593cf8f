/** Runs npm quietly. */
import { spawn } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { root } from './paths.mjs';

/** npm runs no install scripts and prints errors only. */
export const QUIETLY = [
  '--loglevel=error',
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
 * Runs npm: the one that runs this script, if there is one.
 *
 * @param {readonly string[]} args
 * @param {{ cwd?: string, node?: string | undefined }} [options] `node`: the binary that runs npm
 */
export function npm(args, { cwd = root, node = process.execPath } = {}) {
  const self = process.env['npm_execpath'];
  if (self?.endsWith('npm-cli.js')) return run(node, [self, ...args], cwd);
  // npm from PATH takes the first Node.js of PATH; on Windows, the one beside it.
  const path = [dirname(node), process.env['PATH'] ?? ''].join(delimiter);
  return run('npm', args, cwd, { ...process.env, PATH: path });
}
