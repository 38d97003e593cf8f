/** A process that looks at the stand-in's records by itself, from its settings to its pages. */
import { expect, onTestFinished, test } from 'vitest';
import { createPortaria } from '../src/compose.ts';
import { loadConfig } from '../src/config/load-config.ts';
import type { Clock } from '../src/kernel/time/clock.ts';
import { MINUTE_MS } from '../src/kernel/time/durations.ts';
import { manualClock } from '../src/testing/manual-clock.ts';
import { listening } from '../provider/test/kit/listening.ts';
import { openWithCharge } from '../provider/test/kit/violation-setup.ts';
import { composedPortaria } from './support/composed-portaria.ts';
import { eventually, untilPasses } from './support/eventually.ts';

async function setUp(mode: 'report' | 'repair') {
  const { app, ours } = await openWithCharge();
  const { port } = await listening(app);
  const env = {
    ...{
      PORTARIA_DATABASE: ':memory:',
      PORTARIA_LOG_LEVEL: 'silent',
      PORTARIA_PORT: '0',
      PORTARIA_OPS_PORT: '0',
    },
    ...{ PORTARIA_API_URL: `http://127.0.0.1:${String(port)}`, PORTARIA_API_KEY: ours.key },
    PORTARIA_RECONCILE: mode,
  };
  const clock = manualClock('2026-11-20T12:00:00Z');
  /** Whether the looks that were due have ended, and the next wait for their time. */
  let waits = false;
  const watched: Clock = {
    ...clock,
    after(ms, callback) {
      if (ms !== MINUTE_MS || new Error().stack?.includes('keep-reconciled') !== true)
        return clock.after(ms, callback);
      waits = true;
      return clock.after(ms, () => {
        waits = false;
        callback();
      });
    },
  };
  const portaria = await createPortaria({ config: loadConfig(env, '/'), clock: watched, handlers: [] });
  onTestFinished(() => portaria.stop());
  const { opsPort } = await portaria.start();
  const show = async (path: string) => (await fetch(`http://127.0.0.1:${String(opsPort)}${path}`)).text();
  /** Lets time pass, and the looks that are due come to their end. */
  async function after(ms: number) {
    await eventually('the next look waits', () => waits);
    clock.advance(ms);
    await eventually('the looks have ended', () => waits);
  }

  return { ours, clock, portaria, show, after };
}

test('webhooks that were lost are found, told, and over once they have come', async () => {
  const { ours, clock, portaria, show, after } = await setUp('report');
  await after(MINUTE_MS);
  await after(5 * MINUTE_MS);
  expect(await show('/metrics')).toContain('portaria_drift{family="charge",outcome="missed"} 1');
  clock.advance(MINUTE_MS);
  await untilPasses(async () => {
    expect(await show('/api/attention')).toContain('1 subject of charge differs');
  });
  expect(await show('/api/reconcile')).toContain('"subject":"charge:1","outcome":"missed"');

  for (const webhook of await ours.webhooks())
    await portaria.app.request('/webhooks', { method: 'POST', body: JSON.stringify(webhook) });
  await after(60 * MINUTE_MS);
  const { looks } = await portaria.store.monitoring();
  expect(looks.map(({ differing }) => differing)).toEqual(looks.map(() => ({})));
  expect(looks.reduce((sum, { equal }) => sum + equal, 0)).toBeGreaterThan(2);
  clock.advance(MINUTE_MS);
  await untilPasses(async () => {
    expect(await show('/api/attention')).not.toContain('differs');
  });
});

test('webhooks that were lost are repaired when they do not come in five minutes', async () => {
  const { portaria, after } = await setUp('repair');
  await after(MINUTE_MS);
  const ofCharge = () =>
    portaria.store.events({ subject: { family: 'charge', id: '1' } }, { order: 'newest', limit: 9 });
  expect(await ofCharge()).toEqual([]);
  await after(5 * MINUTE_MS);
  expect(await ofCharge()).toMatchObject([{ kind: 'charge.created', flags: ['reconciled', 'no-handlers'] }]);
  const { looks } = await portaria.store.monitoring();
  expect(looks.map(({ differing }) => differing)).toEqual(looks.map(() => ({})));
});

test('without an API the start says what to set', async () => {
  await expect(composedPortaria({ PORTARIA_RECONCILE: 'report' })).rejects.toMatchObject({
    code: 'misconfigured',
    problems: [
      { where: 'PORTARIA_RECONCILE', message: expect.stringContaining('set PORTARIA_API_URL') as string },
    ],
  });
  expect(() => loadConfig({ PORTARIA_RECONCILE: 'often', PORTARIA_RECONCILE_EVERY: '2d' }, '/')).toThrow(
    expect.objectContaining({
      problems: [
        expect.objectContaining({ where: 'PORTARIA_RECONCILE' }),
        expect.objectContaining({ where: 'PORTARIA_RECONCILE_EVERY' }),
      ],
    }),
  );
});
