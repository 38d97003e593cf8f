import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { listens } from '../open-port.ts';

const shipped = new URL('../../../../deploy/haproxy.cfg', import.meta.url);

/** Debian installs it where only root looks for programs. */
const places = ['haproxy', '/usr/sbin/haproxy'];

/** The load balancer of `compose.scale.yaml`. */
export interface LoadBalancer {
  readonly url: string;
  /** What it has printed so far: a line for each request, and for each receiver that leaves or enters the rotation. */
  printed(): string;
}

/** Returns the program, and its version such as `2.6.12`; undefined where there is none. */
export function findHaproxy(): { readonly program: string; readonly version: string } | undefined {
  for (const program of places) {
    const { stdout } = spawnSync(program, ['-v'], { encoding: 'utf8' });
    const version = /^HAProxy version ([\d.]+)/u.exec(stdout)?.[1];
    if (version !== undefined) return { program, version };
  }
  return undefined;
}

/**
 * Starts HAProxy with the shipped file, until the test ends.
 *
 * @param own the port that it listens on
 * @param receivers the ports of the receivers `one`, `two` and `three` of the file
 */
export async function startHaproxy(own: number, receivers: readonly number[]): Promise<LoadBalancer> {
  const { program } = findHaproxy() ?? { program: 'haproxy' };
  const folder = mkdtempSync(join(tmpdir(), 'portaria-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, onLoopback(readFileSync(shipped, 'utf8'), own, receivers));
  const child = spawn(program, ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  let printed = '';
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => (printed += text));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  await eventually('HAProxy listens', async () => {
    if (child.exitCode !== null) throw new Error(`HAProxy has ended:\n${printed}`);
    return listens(own);
  });
  return { url: `http://127.0.0.1:${String(own)}/webhooks`, printed: () => printed };
}

/** The file with addresses of this machine for those of containers. Everything else stays as it is. */
function onLoopback(text: string, own: number, receivers: readonly number[]): string {
  let changed = 0;
  const changedText = text
    .replace(/^( +bind ):8080$/mu, (_, bind: string) => `${bind}127.0.0.1:${String(own)}`)
    .replaceAll(/^( +server \w+ )receiver-\d+:8080$/gmu, (_, server: string) => {
      changed += 1;
      return `${server}127.0.0.1:${String(receivers[changed - 1])}`;
    });
  if (changed !== receivers.length || !changedText.includes(`:${String(own)}\n`))
    throw new Error(`deploy/haproxy.cfg has ${String(changed)} receivers, or listens elsewhere`);
  return changedText;
}
