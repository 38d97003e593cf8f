/** Starts the program again on a newer Node.js. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { nodeProblem } from '../kernel/node-version.ts';
import { packageRoot } from '../kernel/files/package-files.ts';
import { exitCode } from './exit-code.ts';

/**
 * Runs the same command line on a newer Node.js, and ends with its exit code or signal.
 *
 * Called when this Node.js is too old for the program. The newer one is `node_modules/.bin/node`.
 * If there is none, an error with the remedy is printed and the exit code is 4.
 */
export async function handOver(): Promise<void> {
  const node = newerNode();
  if (node === undefined) {
    process.stderr.write(`error: ${nodeProblem() ?? ''}\n`);
    process.exitCode = exitCode.misconfigured;
    return;
  }
  const hasTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  const args = process.argv.slice(1);
  // Without it, a server would outlive this process when this process is killed.
  if (args[1] === 'serve') args.push('--stop-with-parent');
  // Listen before the child starts: a signal may come before this process goes on.
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to both processes. A second one would cut the grace period short.
      if (signal !== 'SIGINT' || !hasTerminal) child.kill(signal);
    });
  }
  const child = spawn(node, args, { stdio: 'inherit' });
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (...ended) => resolve(ended));
  });
  if (signal === null) process.exit(code ?? exitCode.failed);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** The path of a newer Node.js: fetched by `npm start` in a clone, or installed beside this package. */
function newerNode(): string | undefined {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const parent = dirname(packageRoot());
  return [join(packageRoot(), 'node_modules'), ...(basename(parent) === 'node_modules' ? [parent] : [])]
    .map((folder) => join(folder, '.bin', name))
    .find((path) => existsSync(path) && isOurs(path) && isOurs(dirname(path)) && isRecent(path));
}

/** Whether only this user and root can have written the file. Windows has no such modes. */
function isOurs(path: string): boolean {
  if (process.platform === 'win32') return true;
  const { uid, mode } = statSync(path);
  return (uid === 0 || uid === process.getuid?.()) && (mode & 0o022) === 0;
}

function isRecent(node: string): boolean {
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return nodeProblem(stdout.trim().replace(/^v/, '') || '0') === null;
}
