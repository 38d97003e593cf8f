import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { PortariaError } from '../kernel/errors.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { createWithRetry } from './with-retry.ts';

function given(failures: readonly unknown[]) {
  const clock = manualClock();
  const until = new AbortController();
  const emitted: string[] = [];
  const withRetry = createWithRetry({
    clock,
    telemetry: {
      emit(name) {
        emitted.push(name);
      },
    },
  });
  let calls = 0;
  const left = [...failures];
  const action = async (): Promise<string> => {
    calls += 1;
    // eslint-disable-next-line typescript/only-throw-error -- stores may throw anything
    if (left.length > 0) throw left.shift();
    return Promise.resolve('stored');
  };
  return {
    clock,
    until,
    emitted,
    action,
    calls: () => calls,
    withRetry: () => withRetry(action, until.signal),
  };
}

const full = (): PortariaError => new PortariaError('store-full', 'no room');

describe('calling the store with retry', () => {
  it('calls once when the call succeeds', async () => {
    const { withRetry, calls, emitted } = given([]);
    expect(await withRetry()).toBe('stored');
    expect([calls(), emitted]).toEqual([1, []]);
  });

  it('retries after waits that double up to ten seconds, and reports each failure', async () => {
    const { withRetry, clock, emitted } = given(Array.from({ length: 10 }, full));
    const done = withRetry();
    const pauses: (number | null)[] = [];
    for (let failure = 0; failure < 10; failure += 1) {
      await nextTick();
      pauses.push(clock.untilNext);
      clock.advance(clock.untilNext ?? 0);
    }
    expect(await done).toBe('stored');
    expect(pauses).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000, 10_000]);
    expect(emitted).toEqual(Array(10).fill('dispatch.failed'));
  });

  it.each(['machine-conflict', 'not-found', 'invalid-argument', 'stopping'] as const)(
    'does not retry after %s',
    async (code) => {
      const { withRetry, emitted } = given([new PortariaError(code, 'so it is')]);
      await expect(withRetry()).rejects.toMatchObject({ code });
      expect(emitted).toEqual([]);
    },
  );

  it('gives up after five calls on an unknown error', async () => {
    const { withRetry, clock, calls } = given(Array.from({ length: 9 }, () => new TypeError('oops')));
    const done = withRetry();
    done.catch(() => undefined);
    for (let pause = 0; pause < 4; pause += 1) {
      await nextTick();
      clock.advance(clock.untilNext ?? 0);
    }
    await expect(done).rejects.toThrow('oops');
    expect(calls()).toBe(5);
  });

  it('ends the wait and calls a last time when aborted', async () => {
    const { withRetry, until, calls, clock } = given([full(), full(), full()]);
    const done = withRetry();
    await nextTick();
    until.abort();
    await expect(done).rejects.toMatchObject({ code: 'store-full' });
    expect(calls()).toBe(2);
    expect(clock.untilNext).toBeNull();
  });
});
