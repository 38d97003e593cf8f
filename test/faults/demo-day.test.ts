/** Given `npm run demo` with chaos, two kills and losses: both sides agree about every subject at the end of the day. */
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { differencesOf, figure, playDemo } from '../support/played-demo.ts';

test('a watched day with chaos and kills ends without a difference, and console and provider stay open until Ctrl-C', async () => {
  const { child, ended, out } = playDemo(
    ...[
      '--console',
      '--speed',
      '3600',
      '--companies',
      '2',
      '--violations',
      '40',
      '--seed',
      '3',
      '--no-losses',
    ],
  );
  const address = (name: string) => new RegExp(`${name} +(http://\\S+)`, 'u').exec(out())?.[1];
  const provider = await eventually('it prints the addresses', async () => {
    // What it says of its end tells more than a wait without one.
    if (child.exitCode !== null) throw new Error(`the demo has ended: ${JSON.stringify(await ended)}`);
    return address('controls');
  });
  const page = async (url: string) => {
    const response = await fetch(url, { headers: { accept: 'text/html' } });
    return [response.status, await response.text()];
  };
  await eventually('the clock runs at the speed', async () => {
    const clock = await fetch(new URL('clock', provider)).catch(() => null);
    const body = (await clock?.json()) as { readonly data: { readonly speed: number } } | undefined;
    return body?.data.speed === 3600;
  });

  await eventually('the day is over', () => out().includes('both sides stay until Ctrl-C'), 600_000);

  expect(differencesOf(out())).toMatch(/^0 differences/u);
  expect(out()).toContain('kill -9 of the receiver');
  expect(out()).toContain('kill -9 of the provider');
  // The chaos took place, and was recognised.
  for (const name of ['duplicated', 'truncated', 'resent', 'duplicates recognised', 'forwarded'])
    expect(figure(out(), name), name).toBeGreaterThan(0);
  expect(figure(out(), 'records changed')).toBeGreaterThan(200);
  expect(figure(out(), 'receiver +received')).toBeGreaterThanOrEqual(figure(out(), 'records changed'));
  expect(figure(out(), 'dead')).toBe(0);
  expect(await page(provider)).toEqual([200, expect.stringContaining('Controls of the provider')]);
  expect(await page(address('console') ?? '')).toEqual([200, expect.stringContaining('Overview')]);
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 0, err: '' });
});

test('what is lost for good on a day is found, and repaired with its effects', async () => {
  const { code, out, err } = await playDemo('--seconds', '30', '--companies', '2', '--violations', '60')
    .ended;

  expect([code, err]).toEqual([0, '']);
  expect(differencesOf(out)).toMatch(/^0 differences/u);
  expect(figure(out, 'webhooks never sent')).toBeGreaterThan(0);
  const [, before = '', after = ''] = out.split(/^(?:before|after) the repair$/mu);
  expect(before).toMatch(/ lost .* unsent /u);
  expect(after).not.toMatch(/ (?:lost|unsent) /u);
  // Every repair was delivered, too.
  expect(figure(out, 'application +received')).toBe(figure(out, 'receiver +received'));
});
