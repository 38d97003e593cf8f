import { expect, test } from 'vitest';
import { createStallClock, type Look } from './stall-clock.ts';

const LOOK_MS = 500;
const TIMEOUT_MS = 2_000;

/** The verdicts of looks, each with another heartbeat or not. */
function verdicts(looks: readonly Partial<Look>[]): readonly (string | null)[] {
  const look = createStallClock(LOOK_MS, TIMEOUT_MS);
  return looks.map((one) => look({ beats: 1, isDebugged: false, graceMs: null, ...one }).verdict);
}

test('a thread has stalled after the timeout without a heartbeat, counted in looks', () => {
  expect(verdicts([{}, {}, {}, {}, {}])).toEqual([null, null, null, null, 'stalled']);
});

test('each heartbeat begins again, and so does a debugger that may have stopped the thread', () => {
  expect(verdicts([{}, {}, {}, { beats: 2 }, { beats: 2 }, { beats: 2 }, { beats: 2 }])).not.toContain(
    'stalled',
  );
  expect(verdicts([{}, {}, {}, {}, { isDebugged: true }, {}, {}])).not.toContain('stalled');
});

test('a process that stops is ended once its grace is over and the thread is silent', () => {
  const stopping = { graceMs: 1_500 };
  expect(verdicts([stopping, stopping, stopping, stopping])).toEqual([
    null,
    null,
    'unstoppable',
    'unstoppable',
  ]);
  expect(verdicts([1, 2, 3, 4, 5].map((beats) => ({ beats, graceMs: 0 }))), 'it turns').toEqual(
    Array(5).fill(null),
  );
});
