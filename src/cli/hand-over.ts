import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { nodeProblem } from '../kernel/node-version.ts';
import { packageRoot } from '../kernel/package-root.ts';
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
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
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
  return [join(packageRoot(), 'node_modules'), join(packageRoot(), '..')]
    .map((folder) => join(folder, '.bin', name))
    .find((path) => existsSync(path) && isRecent(path));
}

function isRecent(node: string): boolean {
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return nodeProblem(stdout.trim().replace(/^v/, '') || '0') === null;
}
