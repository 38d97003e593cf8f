import { expect, test } from 'vitest';
import { PortariaError } from '../../kernel/errors.ts';
import { createGatherSuccesses } from './gather-successes.ts';
import type { StartedDelivery } from './started-delivery.ts';
import type { WriteOperations } from './write-operations.ts';
import { committedOperations } from './writer.ts';

const held = (id: number, handler = 'anyone') => ({ id, handler, lane: 10 * id, replayId: 0 });
const now = 1_000;
const onward = { now, next: true };
const following: StartedDelivery = {
  delivery_id: 7,
  handler: 'anyone',
  lane: 20,
  effect: '',
  effect_change: null,
  late: 0,
  attempts: 1,
  replay_id: 0,
  event_id: 7,
};

function setUp(answers: { readonly [Name in keyof WriteOperations]?: () => unknown }) {
  const calls: (readonly unknown[])[] = [];
  const operations = committedOperations((name, ...parameters) => {
    calls.push([name, ...parameters]);
    return Promise.resolve().then(() => answers[name]?.() as never);
  });
  return { recordSuccess: createGatherSuccesses(operations), calls };
}

test('what succeeds in a row is one operation, and each hears of its own lane', async () => {
  const { recordSuccess, calls } = setUp({ succeed: () => [{ at: 1, started: following }] });

  const ends = [1, 2, 3].map((id) => recordSuccess(held(id), onward));

  expect(await Promise.all(ends)).toEqual([null, following, null]);
  const batch = { handler: 'anyone', replayId: 0, ids: '[1,2,3]', lanes: '[10,20,30]', count: 3 };
  expect(calls).toEqual([['succeed', batch, onward]]);
});

test('what comes later, or is to be recorded otherwise, is none of theirs', async () => {
  const { recordSuccess, calls } = setUp({ advance: () => null });

  await recordSuccess(held(1), onward);
  await Promise.all([
    recordSuccess(held(2), onward),
    recordSuccess(held(3, 'another'), onward),
    recordSuccess(held(4), { now, next: false }),
    recordSuccess(held(5), { now: now + 1, next: true }),
    recordSuccess(held(6), { ...onward, replay: 'r1' }),
  ]);

  expect(calls.map(([name, each]) => [name, (each as { id: number }).id])).toEqual(
    [1, 2, 3, 4, 5, 6].map((id) => ['advance', id]),
  );
});

test('when one of them is not held, each is recorded by itself', async () => {
  const notHeld = new PortariaError('invalid-argument', 'not held');
  const { recordSuccess, calls } = setUp({ succeed: () => Promise.reject(notHeld), advance: () => null });

  await Promise.all([1, 2].map((id) => recordSuccess(held(id), onward)));

  expect(calls.slice(1)).toEqual([1, 2].map((id) => ['advance', held(id), { status: 'succeeded' }, onward]));
});

test('trouble of the file is the outcome of all, and nothing is tried again here', async () => {
  const full = new PortariaError('store-full', 'the disk is full');
  const { recordSuccess, calls } = setUp({ succeed: () => Promise.reject(full) });

  const ends = await Promise.allSettled([1, 2].map((id) => recordSuccess(held(id), onward)));

  expect(ends).toEqual([1, 2].map(() => ({ status: 'rejected', reason: full })));
  expect(calls).toHaveLength(1);
});
