import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { eventually } from './eventually.ts';
import type { Ended } from './running-portaria.ts';

/** What a user runs: the built program, not the sources. */
const program = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

/** A `portaria service` that answers. */
export interface RunningService {
  /** Without a slash at the end. */
  readonly url: string;
  readonly ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts `portaria service` on a free port and this file, and waits until it says that it is ready. */
export async function runService(file: string, ...options: readonly string[]): Promise<RunningService> {
  const args = [program, '--database', file, 'service', '--port', '0', ...options];
  const child = spawn(process.execPath, args, {
    // Nothing of the developer's own settings.
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const texts = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.err += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve({ code, signal, ...texts });
    });
  });
  const url = await eventually('the service says that it is ready', () => {
    if (child.exitCode !== null) throw new Error(`it ended before it was ready:\n${texts.out}${texts.err}`);
    return /(http:\/\/127\.0\.0\.1:\d+)\/v1/.exec(texts.out)?.[1];
  });
  return { url, ended, kill: (signal) => void child.kill(signal) };
}
