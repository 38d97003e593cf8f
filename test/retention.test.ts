/** The settings of retention, from the environment to the store of a running receiver. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createPortaria } from '../src/compose.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../src/kernel/time/durations.ts';
import { manualClock } from '../src/testing/manual-clock.ts';

const SETTINGS = {
  PORTARIA_DATABASE: ':memory:',
  PORTARIA_PORT: '0',
  PORTARIA_OPS_PORT: '0',
  PORTARIA_LOG_LEVEL: 'silent',
};

test('a running receiver prunes what is older than its settings, and shows it', async () => {
  const clock = manualClock();
  const settings = { ...SETTINGS, PORTARIA_KEEP_EVENTS: '2d', PORTARIA_KEEP_QUARANTINE: '1d' };
  const portaria = await createPortaria({ config: loadConfig(settings, '/'), handlers: [], clock });
  onTestFinished(() => portaria.stop());
  const { port, opsPort } = await portaria.start();
  const post = (body: string) => fetch(`http://127.0.0.1:${String(port)}/webhooks`, { method: 'POST', body });
  const charge = JSON.stringify({ type: 'charge.created', data: { id: 1, type: 'fee', status: 'paid' } });
  expect((await post(charge)).status).toBe(202);
  expect((await post('not json')).status).toBe(400);

  /** Lets time pass until a run has ended. */
  async function untilRun(): Promise<void> {
    const before = (await portaria.store.totals()).retention.lastRunAt;
    for (let step = 0; step < 500; step += 1) {
      for (let tick = 0; tick < 5; tick += 1) await nextTick();
      if ((await portaria.store.totals()).retention.lastRunAt !== before) return;
      clock.advance(50);
    }
    throw new Error('no run has ended');
  }

  clock.advance(MINUTE_MS);
  await untilRun();
  expect((await portaria.store.totals()).retention).toMatchObject({ events: 0, quarantine: 0 });
  clock.jump(DAY_MS);
  clock.advance(HOUR_MS);
  await untilRun();
  expect((await portaria.store.totals()).retention).toMatchObject({ events: 0, quarantine: 1 });
  clock.jump(DAY_MS);
  clock.advance(HOUR_MS);
  await untilRun();
  expect((await portaria.store.totals()).retention).toMatchObject({ events: 1, quarantine: 1 });

  const metrics = await (await fetch(`http://127.0.0.1:${String(opsPort)}/metrics`)).text();
  expect(metrics).toContain('portaria_pruned_total{what="events"} 1');
  expect(metrics).toContain('portaria_pruned_total{what="quarantine"} 1');
  const body = await fetch(`http://127.0.0.1:${String(opsPort)}/api/events/1/body?unmask=true`);
  expect(body.status).toBe(404);
  expect(await body.json()).toMatchObject({ message: expect.stringContaining('was pruned on') as string });
  expect(await (await post(charge)).json()).toMatchObject({ status: 'duplicate' });
});

test('periods that make no sense are reported together, each with its correction', () => {
  const settings = { ...SETTINGS, PORTARIA_KEEP_EVENTS: '180', PORTARIA_KEEP_DELIVERIES: '0d' };
  expect(() => loadConfig(settings, '/')).toThrow(
    expect.objectContaining({
      problems: [
        {
          where: 'PORTARIA_KEEP_EVENTS',
          message: 'must be a period such as 12h, 180d or 26w, or forever; got "180"',
        },
        {
          where: 'PORTARIA_KEEP_DELIVERIES',
          message: 'must be a period such as 12h, 180d or 26w, or forever; got "0d"',
        },
      ],
    }) as Error,
  );
});
