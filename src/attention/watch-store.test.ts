/** An outage of the store and a low disk are told without the store. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { MonitoringRecord } from '../store/monitoring.ts';
import type { TelemetryEvents } from '../telemetry/telemetry.ts';
import { manualClock, type ManualClock } from '../testing/manual-clock.ts';
import { createFindLowDisk } from './low-disk.ts';
import { createOperationSignals, type OperationSignals } from './operation-signals.ts';
import { createMemoryAlerts } from './send-alerts.ts';
import { watchStore, type StoreWatch } from './watch-store.ts';

const GIB = 2 ** 30;
const SECOND_MS = 1_000;
const secret = `whsec_${Buffer.alloc(24, 'portaria').toString('base64')}`;
const begun = 'portaria.problem.began';
const ended = 'portaria.problem.ended';

let clock: ManualClock;
let isHealthy: boolean;
let freeGiB: number;
let status: number;
let sent: { id: string; type: string; data: { problem: string; since: string; summary: string } }[];
let backs: TelemetryEvents['store.back'][];
let recorded: MonitoringRecord[];
let signals: OperationSignals;
let watch: StoreWatch;

beforeEach(() => {
  clock = manualClock('2026-11-21T04:00:00Z');
  [isHealthy, freeGiB, status, sent, backs, recorded] = [true, 50, 204, [], [], []];
  signals = createOperationSignals(clock);
  const store = {
    storeId: 'abc234',
    healthy: () => isHealthy,
    recordMonitoring: (record: MonitoringRecord) => Promise.resolve(recorded.push(record) > 0),
  };
  const telemetry = {
    emit: (name: keyof TelemetryEvents, fields: unknown) => {
      if (name === 'store.back') backs.push(fields as TelemetryEvents['store.back']);
    },
  };
  const fetch = (_url: string, { body, headers }: RequestInit) => {
    const { 'webhook-id': id } = headers as Record<'webhook-id', string>;
    if (status < 300) sent.push({ id, ...(JSON.parse(body as string) as Omit<(typeof sent)[number], 'id'>) });
    return Promise.resolve(new Response(null, { status }));
  };
  watch = watchStore({
    ...{ store, telemetry, signals },
    // A real clock has fractions of a millisecond, which the store does not take.
    clock: { ...clock, monotonic: () => clock.monotonic() * 1.00001 },
    findLowDisk: createFindLowDisk(
      { database: '/data/portaria.db', diskLow: { share: 0.1, bytes: GIB } },
      () => Promise.resolve({ bavail: freeGiB * 1024, blocks: 100 * 1024, bsize: 2 ** 20 }),
    ),
    alerts: createMemoryAlerts({
      ...{ target: { url: 'https://pager.example/hook', secret }, store, clock, telemetry, fetch },
      random: () => 0.5,
    }),
  });
  onTestFinished(() => watch.stop());
  watch.start();
});

/** Lets each second's look end before the next one. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    for (let turn = 0; turn < 20; turn += 1) await nextTick();
    clock.advance(SECOND_MS);
  }
  for (let turn = 0; turn < 20; turn += 1) await nextTick();
}

const kinds = () => sent.map(({ type, data }) => [type, data.problem]);

function refuse(result: string): void {
  const known = { source: 'default', kind: null, id: null, bytes: 1, durationMs: 1 };
  signals.report('webhook.responded', { ...known, result, status: 503 });
}

test('a store that cannot be written for ten seconds is told, and its return with what was refused', async () => {
  await pass(1);
  refuse('store-busy');
  await pass(1);
  isHealthy = false;
  refuse('store-failed');
  await pass(10);
  expect(sent).toEqual([]);
  refuse('store-full');
  refuse('overloaded');
  await pass(1);
  expect(kinds()).toEqual([[begun, 'store-unavailable']]);
  expect(sent[0]?.data).toMatchObject({
    since: '2026-11-21T04:00:03.000Z',
    summary: expect.stringContaining('since 2026-11-21 04:00:03Z: webhooks get 503'),
  });
  expect(watch.problems()).toMatchObject([{ problem: 'store-unavailable' }]);

  isHealthy = true;
  await pass(2);
  expect(kinds().at(-1)).toEqual([ended, 'store-unavailable']);
  expect(backs).toEqual([{ awayMs: 11 * SECOND_MS, refused: 2 }]);
  const beganAt = Date.parse('2026-11-21T04:00:03Z');
  const outage = { cause: 'store', beganAt, endedAt: beganAt + 11 * SECOND_MS, handler: null, refused: 2 };
  expect(recorded).toEqual([{ record: 'outage', ...outage }]);
  expect(new Set(sent.map(({ id }) => id)).size).toBe(2);
});

test('a short outage is in the log alone', async () => {
  await pass(1);
  isHealthy = false;
  await pass(3);
  isHealthy = true;
  await pass(5);
  expect(sent).toEqual([]);
  expect(backs).toEqual([{ awayMs: 3 * SECOND_MS, refused: 0 }]);
});

test('a low disk is told before it is full, once, until there is clearly room', async () => {
  freeGiB = 9.9;
  await pass(1);
  freeGiB = 10.5;
  await pass(5);
  expect(sent).toMatchObject([
    {
      type: begun,
      data: { problem: 'disk-low', summary: expect.stringContaining('10137 MiB free (9.9 %)') },
    },
  ]);
  freeGiB = 11.5;
  await pass(5);
  expect(kinds()).toEqual([
    [begun, 'disk-low'],
    [ended, 'disk-low'],
  ]);
});

test('a disk without a free mebibyte is not said to become full', async () => {
  freeGiB = 0.0009;
  await pass(2);
  expect(sent[0]?.data.summary).toMatch(/has 0 MiB free \(0\.0 %\): webhooks may get 503$/);
});

test('what the target does not take waits in memory, in order', async () => {
  status = 503;
  freeGiB = 5;
  isHealthy = false;
  await pass(13);
  expect(sent).toEqual([]);
  status = 204;
  await pass(30);
  expect(kinds()).toEqual([
    [begun, 'disk-low'],
    [begun, 'store-unavailable'],
  ]);
});

test.each([
  ['a small disk by its bytes', 0.5, 2, true],
  ['a small disk with room', 1.5, 2, false],
  ['a large disk by its share', 90, 1_000, true],
])('%s', async (_, free, size, isLow) => {
  const find = createFindLowDisk({ database: '/d.db', diskLow: { share: 0.1, bytes: GIB } }, () =>
    Promise.resolve({ bavail: free * GIB, blocks: size * GIB, bsize: 1 }),
  );
  expect((await find()).length > 0).toBe(isLow);
});
