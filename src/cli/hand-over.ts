import { spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { nodeProblem } from '../kernel/node-version.ts';
import { packageRoot } from '../kernel/files/package-files.ts';
import { exitCode } from './exit-code.ts';

/**
 * What an older Node.js does instead of running the program: it starts the same
 * command line on the Node.js in `node_modules/.bin`, where there is a recent
 * one, and ends as that ends. Else it says what to do, and ends with 4.
 */
export async function handOver(): Promise<void> {
  const node = nearbyNode();
  if (node === undefined) {
    process.stderr.write(`error: ${nodeProblem() ?? ''}\n`);
    process.exitCode = exitCode.misconfigured;
    return;
  }
  const onTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  const words = process.argv.slice(1);
  // Else a parent that is killed would leave the server behind.
  if (words[1] === 'serve') words.push('--stop-with-parent');
  const child = spawn(node, words, { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to both; a second one would cut the grace short.
      if (signal !== 'SIGINT' || !onTerminal) child.kill(signal);
    });
  }
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (...ended) => resolve(ended));
  });
  if (signal === null) process.exit(code ?? exitCode.failed);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** The Node.js that `npm start` fetched into a clone, or one that is a package of the project around this one. */
function nearbyNode(): string | undefined {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const around = dirname(packageRoot());
  return [join(packageRoot(), 'node_modules'), ...(basename(around) === 'node_modules' ? [around] : [])]
    .map((folder) => join(folder, '.bin', name))
    .find((path) => existsSync(path) && isOurs(path) && isOurs(dirname(path)) && isRecent(path));
}

/** Whether nobody but this user and root could have put it there. Windows has no such modes. */
function isOurs(path: string): boolean {
  if (process.platform === 'win32') return true;
  const { uid, mode } = statSync(path);
  return (uid === 0 || uid === process.getuid?.()) && (mode & 0o022) === 0;
}

function isRecent(node: string): boolean {
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return nodeProblem(stdout.trim().replace(/^v/, '') || '0') === null;
}
