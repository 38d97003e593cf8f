import { expect, test } from 'vitest';
import { PortariaError } from '../kernel/errors.ts';
import type { ClaimedDelivery, DeliveryKey, FollowingDelivery, LaneQueue } from '../store/lane-queue.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { createWithRetry } from './with-retry.ts';
import { createRecordSuccesses, type Success } from './record-successes.ts';

type Call = readonly [ids: readonly string[], options: Parameters<LaneQueue['succeed']>[1]];

function setUp(answer: (call: Call, calls: readonly Call[]) => readonly FollowingDelivery[] = () => []) {
  const clock = manualClock();
  const calls: Call[] = [];
  const ends: (readonly [string, string | null])[] = [];
  const told: unknown[] = [];
  const logged: string[] = [];
  const count = { open: 0 };
  const closing = new AbortController();
  const telemetry = {
    emit: (name: string, fields: object) =>
      void told.push([name, (fields as { delivery?: string }).delivery]),
  };
  const store = {
    succeed: (deliveries: readonly DeliveryKey[], options: Call[1]) => {
      const call = [deliveries.map(({ id }) => id), options] as const;
      calls.push(call);
      return Promise.resolve().then(() => answer(call, calls));
    },
  };
  const recordSuccess = createRecordSuccesses({
    store,
    withRetry: createWithRetry({ clock, telemetry }),
    telemetry,
    clock,
    log: { error: (_fields: unknown, message: string) => void logged.push(message) },
    records: { recording: () => (count.open += 1), recorded: () => (count.open -= 1) },
    closing: closing.signal,
    shutdown: new AbortController().signal,
  });
  const success = (id: string, { handler = 'anyone', replay = null, next = true }: Like = {}): Success => ({
    fields: { delivery: id, event: `e${id}`, handler, kind: 'k', attempt: 1, replay: replay !== null },
    held: { id, lane: `lane of ${id}`, handler, replay },
    durationMs: 1,
    turn: {
      probe: false,
      next: () => next,
      recorded: (following) => void ends.push([id, following?.id ?? null]),
    },
  });
  const record = async (...successes: readonly Success[]) => {
    for (const each of successes) recordSuccess(each);
    for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
  };
  return { record, success, calls, ends, told, logged, count, clock, closing };
}

interface Like {
  readonly handler?: string;
  readonly replay?: string | null;
  readonly next?: boolean;
}

const following = (at: number, id: string): FollowingDelivery => ({
  at,
  delivery: { id } as ClaimedDelivery,
});

test('what succeeds in one turn of the loop is one operation, and each hears of its own lane', async () => {
  const { record, success, calls, ends, told, count, clock } = setUp(() => [following(1, 'd7')]);

  await record(success('d1'), success('d2'), success('d3'));

  expect(calls).toEqual([[['d1', 'd2', 'd3'], { now: clock.now(), next: true }]]);
  expect(ends).toEqual([
    ['d1', null],
    ['d2', 'd7'],
    ['d3', null],
  ]);
  expect(told).toEqual(['d1', 'd2', 'd3'].map((id) => ['delivery.succeeded', id]));
  expect(count.open).toBe(0);
});

test('handlers, replays, and lanes that must not go on, are recorded each by themselves', async () => {
  const { record, success, calls } = setUp();

  await record(
    success('d1'),
    success('d2', { handler: 'another' }),
    success('d3', { replay: 'r1' }),
    success('d4', { next: false }),
    success('d5'),
    success('d6', { handler: 'another' }),
  );
  await record(success('d7'));

  expect(calls.map(([ids, { next }]) => [ids.join(' '), next])).toEqual([
    ['d1 d5', true],
    ['d2 d6', true],
    ['d3', true],
    ['d4', false],
    ['d7', true],
  ]);
});

test('one that is not held takes no others along', async () => {
  const { record, success, ends, logged } = setUp(([ids]) => {
    if (ids.includes('d2')) throw new PortariaError('invalid-argument', 'd2 is not held');
    return [];
  });

  await record(success('d1'), success('d2'), success('d3'));

  expect(ends.map(([id]) => id).toSorted()).toEqual(['d1', 'd2', 'd3']);
  expect(logged).toEqual(['Outcome not recorded; the delivery runs again after the next start']);
});

test('a full disk is waited for; by then a stop may have begun, and no lane goes on', async () => {
  const { record, success, calls, ends, count, clock, closing } = setUp((_call, all) => {
    if (all.length === 1) throw new PortariaError('store-full', 'no room');
    return [];
  });
  await record(success('d1'), success('d2'));
  expect([ends, count.open]).toEqual([[], 2]);

  closing.abort();
  clock.advance(100);
  await record();

  expect(calls.map(([ids, { next }]) => [ids.length, next])).toEqual([
    [2, true],
    [2, false],
  ]);
  expect(ends).toHaveLength(2);
});

test('what cannot be recorded for no reason that it names is said once for each, and its lane is let go', async () => {
  const { record, success, ends, logged, count, clock } = setUp(() => {
    throw new TypeError('a mistake');
  });

  await record(success('d1'), success('d2'));
  for (let pause = 0; pause < 5; pause += 1) {
    clock.advance(10_000);
    await record();
  }

  expect(logged).toHaveLength(2);
  expect(ends).toEqual([
    ['d1', null],
    ['d2', null],
  ]);
  expect(count.open).toBe(0);
});
