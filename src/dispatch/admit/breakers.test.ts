import { expect, test } from 'vitest';
import { defineHandler } from '../../handle/define/handler.ts';
import { createRegistry } from '../../handle/load/registry.ts';
import type { ClaimedDelivery } from '../../store/lane-queue.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { createBreakers } from './breakers.ts';

test('after a probe whose event is superseded, which the handler never saw, another one may probe at once', () => {
  const clock = manualClock();
  const breaker = { failures: 1, subjects: 1 };
  const handler = defineHandler({ name: 'a', on: 'charge.updated', breaker, handle: () => undefined });
  const telemetry = { emit: () => undefined } as unknown as Telemetry;
  const breakers = createBreakers({ registry: createRegistry([handler]), clock, telemetry });
  const event = { source: 'default', subject: { family: 'charge', id: '1' } };
  const delivery = { handler: 'a', event } as unknown as ClaimedDelivery;
  breakers.observe(delivery, { status: 'retry', health: 'failed', reason: 'down', waitMs: 1 }, false);
  expect(breakers.toProbe()).toEqual([]);
  clock.advance(breakers.nextProbeInMs() ?? 0);
  breakers.startProbe('a');

  breakers.observe(delivery, { status: 'skipped', health: 'unknown', reason: 'superseded' }, true);

  expect(breakers.toProbe()).toMatchObject([{ handler: 'a' }]);
});
