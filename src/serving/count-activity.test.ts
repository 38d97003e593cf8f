import { expect, test } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import type { DeliveryFields } from '../telemetry/telemetry.ts';
import { createActivityCounts } from './count-activity.ts';

const delivery: DeliveryFields = {
  delivery: 'd1',
  event: 'abcdef-1',
  handler: 'billing',
  kind: 'charge.updated',
  attempt: 1,
  replay: false,
};
const responded = {
  source: 'default',
  result: 'accepted',
  kind: 'charge.updated',
  id: 'abcdef-1',
  bytes: 1,
  durationMs: 1,
};

test('counts what came and what became of it, and begins again at 0', () => {
  const { report, take } = createActivityCounts(manualClock());
  for (const status of [202, 200, 401, 503]) report('webhook.responded', { ...responded, status });
  report('delivery.succeeded', { ...delivery, durationMs: 10 });
  report('delivery.succeeded', { ...delivery, durationMs: 10.1 });
  report('delivery.retrying', { ...delivery, durationMs: 500, reason: 'x', waitMs: 1 });
  report('delivery.dead', { ...delivery, durationMs: 0, reason: 'x' });
  report('delivery.skipped', { ...delivery, handler: 'crm', durationMs: 0, reason: 'stale' });
  report('deliveries.superseded', { handler: 'crm', deliveries: 2 });
  report('delivery.released', { ...delivery, reason: 'stopping' });

  expect(take()).toEqual({
    received: 2,
    handlers: [
      {
        ...{ handler: 'billing', succeeded: 2, failed: 2, dead: 1, skipped: 0, breakerMs: 0 },
        durations: [
          [21, 2],
          [39, 1],
          [0, 1],
        ],
      },
      { handler: 'crm', succeeded: 0, failed: 0, dead: 0, skipped: 3, breakerMs: 0, durations: [] },
    ],
  });
  expect(take()).toEqual({ received: 0, handlers: [] });
});

test('counts how long a breaker was open, over several takes', () => {
  const clock = manualClock();
  const { report, take } = createActivityCounts(clock);
  const open = () => {
    report('breaker.opened', { handler: 'billing', openMs: 1_000, reason: 'x' });
  };
  const openMs = () => take().handlers.map(({ breakerMs }) => breakerMs);
  open();
  clock.advance(1_000);
  // A probe that fails opens it again: it was not closed in between.
  open();
  clock.advance(500);
  expect(openMs()).toEqual([1_500]);
  clock.advance(200);
  report('breaker.closed', { handler: 'billing' });
  clock.advance(9_000);
  expect(openMs()).toEqual([200]);
  expect(openMs()).toEqual([]);
});
