import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const demo = fileURLToPath(new URL('../../demo/main.mjs', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Starts `npm run demo` with these options. The end of the test interrupts it. */
export function playDemo(...options: string[]) {
  const child = spawn(process.execPath, [demo, ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => {
    child.kill('SIGTERM');
  });
  const texts = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.err += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code, ...texts });
    });
  });
  return { child, ended, out: () => texts.out };
}

/** The number in a row of the demo's tables. */
export function figure(out: string, name: string): number {
  return Number(new RegExp(`\\b${name} +([\\d,]+)`, 'u').exec(out)?.[1]?.replaceAll(',', ''));
}

/** The line of its result. */
export function differencesOf(out: string): string | undefined {
  return /^\d+ differences.*/mu.exec(out)?.[0];
}
