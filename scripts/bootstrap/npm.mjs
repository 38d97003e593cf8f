import { spawn } from 'node:child_process';
import { root } from './paths.mjs';

/**
 * Runs a program in the project's root, its output on our standard error.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {Promise<boolean>} whether it ended well
 */
export function run(command, args) {
  return new Promise((resolve, reject) => {
    const shell = process.platform === 'win32' && command === 'npm';
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell });
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0));
  });
}

/**
 * Runs npm: the very one that runs this script, if one does.
 *
 * @param {readonly string[]} args
 */
export function npm(args) {
  const self = process.env['npm_execpath'];
  return self?.endsWith('npm-cli.js') ? run(process.execPath, [self, ...args]) : run('npm', args);
}
