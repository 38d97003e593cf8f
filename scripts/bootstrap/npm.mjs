import { spawn } from 'node:child_process';
import { root } from './paths.mjs';

/** No install script runs, and npm reports nothing that is not wrong. */
export const QUIETLY = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];

/**
 * Runs a program, its output on our standard error.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {Promise<boolean>} whether it ended well
 */
export function run(command, args, cwd = root) {
  return new Promise((resolve, reject) => {
    const shell = process.platform === 'win32' && command === 'npm';
    const child = spawn(command, args, { cwd, stdio: ['ignore', 2, 2], shell });
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0));
  });
}

/**
 * Runs npm: the very one that runs this script, if one does.
 *
 * @param {readonly string[]} args
 */
export function npm(args, { cwd = root, node = process.execPath } = {}) {
  const self = process.env['npm_execpath'];
  return self?.endsWith('npm-cli.js') ? run(node, [self, ...args], cwd) : run('npm', args, cwd);
}
