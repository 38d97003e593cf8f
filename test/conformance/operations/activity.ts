import { expect, test } from 'vitest';
import { durationBucket, type ActivityRecord, type HandlerActivity } from '../../../src/store/activity.ts';
import { openFixture, type StoreFixture } from '../store-fixture.ts';
import type { StoreKind } from '../store-place.ts';

const SPAN = 300_000;
const DAY = 86_400_000;

const handler = (changes: Partial<HandlerActivity> = {}): HandlerActivity => ({
  handler: 'billing',
  ...{ succeeded: 0, failed: 0, dead: 0, skipped: 0, breakerMs: 0, durations: [] },
  ...changes,
});

const record = ({ store }: StoreFixture, at: number, changes: Partial<ActivityRecord> = {}) =>
  store.recordMonitoring({
    ...{ record: 'activity', at, received: 0, backlog: 0, oldestMs: 0, handlers: [] },
    ...changes,
  });

/** What charts are drawn from. */
export function activityRules(kind: StoreKind): void {
  test('records of a span add up, and levels keep their highest', async () => {
    const fixture = await openFixture(kind);
    const slow = durationBucket(1_000);
    const fast = durationBucket(10);
    await record(fixture, SPAN, {
      ...{ received: 5, backlog: 7, oldestMs: 100 },
      handlers: [handler({ succeeded: 3, durations: [[fast, 3]] })],
    });
    await record(fixture, SPAN, {
      ...{ received: 1, backlog: 2, oldestMs: 900 },
      handlers: [
        handler({ succeeded: 1, failed: 2, dead: 1, skipped: 1, breakerMs: 40, durations: [[slow, 3]] }),
        handler({ handler: 'crm', succeeded: 1, durations: [[fast, 1]] }),
      ],
    });

    const { points, handlers } = await fixture.store.activity(0, SPAN);

    expect(points).toEqual([{ at: SPAN, received: 6, finished: 7, backlog: 7, oldestMs: 900 }]);
    expect(handlers.map((one) => one.handler)).toEqual(['billing', 'crm']);
    const [billing] = handlers[0]?.points ?? [];
    expect(billing).toMatchObject({ at: SPAN, succeeded: 4, failed: 2, dead: 1, skipped: 1, breakerMs: 40 });
    expect(billing?.p50Ms).toBeGreaterThan(8.5);
    expect(billing?.p50Ms).toBeLessThan(11.5);
    expect(billing?.p95Ms).toBeGreaterThan(880);
    expect(billing?.p95Ms).toBeLessThan(1_130);
  });

  test('spans are put together to steps, from a time on', async () => {
    const fixture = await openFixture(kind);
    for (const [at, received] of [1, 2, 3, 4, 5].entries())
      await record(fixture, at * SPAN, { received, handlers: [handler({ succeeded: received })] });

    const { points, handlers } = await fixture.store.activity(SPAN, 2 * SPAN);

    expect(points.map(({ at, received, finished }) => [at / SPAN, received, finished])).toEqual([
      [0, 2, 2],
      [2, 7, 7],
      [4, 5, 5],
    ]);
    expect(handlers[0]?.points.map(({ p50Ms }) => p50Ms)).toEqual([null, null, null]);
  });

  test('spans of more than 31 days ago are dropped', async () => {
    const fixture = await openFixture(kind);
    await record(fixture, SPAN, { handlers: [handler({ succeeded: 1 })] });
    await record(fixture, SPAN + 31 * DAY, { handlers: [handler({ succeeded: 1 })] });
    expect((await fixture.store.activity(0, SPAN)).points).toHaveLength(2);
    await record(fixture, 2 * SPAN + 31 * DAY);

    const { points, handlers } = await fixture.store.activity(0, SPAN);

    expect(points.map(({ at }) => at)).toEqual([SPAN + 31 * DAY, 2 * SPAN + 31 * DAY]);
    expect(handlers[0]?.points).toHaveLength(1);
  });
}
