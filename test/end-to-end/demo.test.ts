/** A short `npm run demo`: both sides agree about every subject after chaos and two kills. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';

const demo = fileURLToPath(new URL('../../demo/main.mjs', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function play(...args: string[]) {
  const child = spawn(process.execPath, [demo, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
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

/** The number in a row of the tables. */
const figure = (out: string, name: string) =>
  Number(new RegExp(`\\b${name} +([\\d,]+)`, 'u').exec(out)?.[1]?.replaceAll(',', ''));

test('ends a day with chaos and kills without a difference', { timeout: 240_000 }, async () => {
  const { ended } = play('--seconds', '5', '--companies', '2', '--violations', '40', '--seed', '3');

  const { code, out, err } = await ended;

  expect({ code, err, differences: /^\d+ differences.*/mu.exec(out)?.[0] }).toEqual({
    code: 0,
    err: '',
    differences: expect.stringMatching(/^0 differences/u),
  });
  expect(out).toContain('kill -9 of the receiver');
  expect(out).toContain('kill -9 of the provider');
  // The chaos took place, and was recognised.
  for (const name of ['duplicated', 'truncated', 'resent', 'duplicates recognised', 'forwarded'])
    expect(figure(out, name), name).toBeGreaterThan(0);
  expect(figure(out, 'records changed')).toBeGreaterThan(200);
  expect(figure(out, 'receiver +received')).toBeGreaterThanOrEqual(figure(out, 'records changed'));
  expect(figure(out, 'dead')).toBe(0);
});

test('keeps console and provider open after a watched day, until Ctrl-C', { timeout: 240_000 }, async () => {
  const { child, ended, out } = play(
    ...['--console', '--speed', '3600', '--companies', '1', '--violations', '10', '--seed', '3'],
  );
  const address = (name: string) => new RegExp(`${name} +(http://\\S+)`, 'u').exec(out())?.[1];
  const provider = await eventually('it prints the addresses', () => address('pages'));
  const page = async (url: string) => {
    const response = await fetch(url, { headers: { accept: 'text/html' } });
    return [response.status, await response.text()];
  };
  await eventually('the clock runs at the speed', async () => {
    const clock = await fetch(new URL('clock', provider)).catch(() => null);
    const body = (await clock?.json()) as { readonly data: { readonly speed: number } } | undefined;
    return body?.data.speed === 3600;
  });

  await eventually('the day is over', () => out().includes('both sides stay until Ctrl-C'), 200_000);

  expect(out()).toMatch(/^0 differences/mu);
  expect(await page(provider)).toEqual([200, expect.stringContaining('runs with the machine')]);
  expect(await page(address('console') ?? '')).toEqual([200, expect.stringContaining('Overview')]);
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 0, err: '' });
});

test('ends every process and removes the data on Ctrl-C', { timeout: 120_000 }, async () => {
  const { child, ended, out } = play('--seconds', '60', '--companies', '1', '--violations', '10');
  const folder = await eventually(
    'it prints the folder of its data',
    () => /\/\S*portaria-demo-\w+/u.exec(out())?.[0],
  );
  child.kill('SIGINT');

  expect((await ended).code).toBe(130);
  expect(existsSync(folder)).toBe(false);
});

test('rejects an unknown option and prints the usage', async () => {
  const { code, err } = await play('--second', '60').ended;

  expect(code).toBe(2);
  expect(err).toMatch(/Unknown option '--second'.*--seconds <n>/su);
});
