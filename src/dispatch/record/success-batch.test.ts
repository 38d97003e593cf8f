import { expect, test } from 'vitest';
import { PortariaError } from '../../kernel/errors.ts';
import type { ClaimedDelivery, DeliveryKey, FollowingDelivery, LaneQueue } from '../../store/lane-queue.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { createRetriedStore, type DispatchStore } from '../retried-store.ts';
import { createSuccessBatch, type Success } from './success-batch.ts';

type Call = readonly [ids: readonly string[], options: Parameters<LaneQueue['succeed']>[1]];

/** A lane that may continue or not. */
interface Lane {
  readonly next: boolean;
}

function setUp(answer: (call: Call, calls: readonly Call[]) => readonly FollowingDelivery[] = () => []) {
  const clock = manualClock();
  const calls: Call[] = [];
  const recorded: (readonly [string, string | null])[] = [];
  const failed: (readonly [string, string])[] = [];
  const closing = new AbortController();
  const store = {
    succeed: (deliveries: readonly DeliveryKey[], options: Call[1]) => {
      const call = [deliveries.map(({ id }) => id), options] as const;
      calls.push(call);
      return Promise.resolve().then(() => answer(call, calls));
    },
  };
  const addToBatch = createSuccessBatch<Lane>({
    store: createRetriedStore({
      store: store as unknown as DispatchStore,
      clock,
      telemetry: { emit: () => undefined },
      closing: closing.signal,
      shutdown: new AbortController().signal,
    }),
    mayContinue: ({ next }) => next,
    recorded: ({ key }, following) => void recorded.push([key.id, following?.id ?? null]),
    failed: ({ key }, error) => void failed.push([key.id, String(error)]),
  });
  const success = (
    id: string,
    { handler = 'any', replay = null, next = true }: Like = {},
  ): Success<Lane> => ({
    fields: { delivery: id, event: `e${id}`, handler, kind: 'k', attempt: 1, replay: replay !== null },
    key: { id, lane: `lane of ${id}`, holder: 0, start: 0, handler, replay },
    durationMs: 1,
    lane: { next },
  });
  const record = async (...successes: readonly Success<Lane>[]) => {
    for (const each of successes) addToBatch(each);
    for (let microtask = 0; microtask < 30; microtask += 1) await Promise.resolve();
  };
  return { record, success, calls, recorded, failed, clock, closing };
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

test('records the successes of one tick in one operation, and returns what follows in each lane', async () => {
  const { record, success, calls, recorded, clock } = setUp(() => [following(1, 'd7')]);

  await record(success('d1'), success('d2'), success('d3'));

  expect(calls).toEqual([[['d1', 'd2', 'd3'], { now: clock.now(), next: true }]]);
  expect(recorded).toEqual([
    ['d1', null],
    ['d2', 'd7'],
    ['d3', null],
  ]);
});

test('records handlers, replays and lanes that may not continue each by themselves', async () => {
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

test.each(['invalid-argument', 'lane-locked'] as const)('records the others after %s', async (code) => {
  const { record, success, recorded, failed } = setUp(([ids]) => {
    if (ids.includes('d2')) throw new PortariaError(code, 'd2 is not held');
    return [];
  });

  await record(success('d1'), success('d2'), success('d3'));

  expect(recorded.map(([id]) => id).toSorted()).toEqual(['d1', 'd3']);
  expect(failed).toEqual([['d2', expect.stringContaining('d2 is not held')]]);
});
