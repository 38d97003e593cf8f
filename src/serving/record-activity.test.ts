import { expect, test } from 'vitest';
import { manualClock } from '../testing/manual-clock.ts';
import type { MonitoringRecord } from '../store/monitoring.ts';
import type { StoreTotals } from '../store/queries.ts';
import { recordActivity } from './record-activity.ts';

const MINUTE = 60_000;

function setUp() {
  const clock = manualClock('2026-01-01T00:02:30Z');
  const recorded: Extract<MonitoringRecord, { record: 'activity' }>[] = [];
  const warnings: string[] = [];
  let failing = false;
  let taken = 0;
  const totals = {
    byHandler: [{ handler: 'billing', pending: 3, running: 1, succeeded: 9, dead: 1, skipped: 0 }],
    oldestPendingAt: clock.now() - 500,
  } as unknown as StoreTotals;
  const recorder = recordActivity({
    clock,
    store: {
      totals: () => (failing ? Promise.reject(new Error('no disk')) : Promise.resolve(totals)),
      recordMonitoring(record) {
        recorded.push(record as (typeof recorded)[number]);
        return Promise.resolve(true);
      },
    },
    counts: {
      report: () => undefined,
      peek: () => ({ received: 0, handlers: [] }),
      take: () => ({ received: (taken += 1), handlers: [] }),
    },
    log: { warn: (_, message) => void warnings.push(message) },
  });
  return {
    ...{ clock, recorded, warnings, recorder },
    fail(now: boolean) {
      failing = now;
    },
    async pass(ms: number) {
      clock.advance(ms);
      for (let ticks = 0; ticks < 10; ticks += 1) await Promise.resolve();
    },
  };
}

const at = (minute: number) => Date.parse('2026-01-01T00:00:00Z') + minute * MINUTE;

test('writes once a minute and at the end of a span, each to the span that it was in', async () => {
  const { recorder, recorded, pass } = setUp();
  recorder.start();
  for (let half = 0; half < 8; half += 1) await pass(MINUTE / 2);

  // At 3:30, 4:30 and 5:00, then at 6:00.
  expect(recorded.map((record) => [record.at, record.received])).toEqual([
    [at(0), 1],
    [at(0), 2],
    [at(0), 3],
    [at(5), 4],
  ]);
  expect(recorded[0]).toMatchObject({ backlog: 4, oldestMs: MINUTE + 500 });
});

test('writes what is left at a stop, and nothing if it never began', async () => {
  const { recorder, recorded, pass } = setUp();
  recorder.start();
  await pass(MINUTE / 2);
  await recorder.stop();
  await pass(10 * MINUTE);
  expect(recorded).toHaveLength(1);

  const other = setUp();
  await other.recorder.stop();
  expect(other.recorded).toEqual([]);
});

test('a store that fails costs a warning; the counts are kept for the next minute', async () => {
  const { recorder, recorded, warnings, pass, fail } = setUp();
  recorder.start();
  fail(true);
  await pass(MINUTE);
  fail(false);
  await pass(MINUTE);

  expect(warnings).toEqual(['the numbers of the last minute were not recorded']);
  expect(recorded.map(({ received }) => received)).toEqual([1]);
});
