import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { PortariaError } from '../kernel/errors.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { createWithRetry } from './with-retry.ts';

function given(failures: readonly unknown[]) {
  const clock = manualClock();
  const until = new AbortController();
  const told: string[] = [];
  const withRetry = createWithRetry({
    clock,
    telemetry: {
      emit(name) {
        told.push(name);
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
  return { clock, until, told, action, calls: () => calls, withRetry: () => withRetry(action, until.signal) };
}

const full = (): PortariaError => new PortariaError('store-full', 'no room');

describe('insisting on the store', () => {
  it('calls once when all is well', async () => {
    const { withRetry, calls, told } = given([]);
    expect(await withRetry()).toBe('stored');
    expect([calls(), told]).toEqual([1, []]);
  });

  it('tries again after pauses that double up to ten seconds, and tells of each failure', async () => {
    const { withRetry, clock, told } = given(Array.from({ length: 10 }, full));
    const done = withRetry();
    const pauses: (number | null)[] = [];
    for (let failure = 0; failure < 10; failure += 1) {
      await turn();
      pauses.push(clock.untilNext);
      clock.advance(clock.untilNext ?? 0);
    }
    expect(await done).toBe('stored');
    expect(pauses).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000, 10_000]);
    expect(told).toEqual(Array(10).fill('dispatch.failed'));
  });

  it.each(['machine-conflict', 'not-found', 'invalid-argument', 'stopping'] as const)(
    'does not ask again after %s',
    async (code) => {
      const { withRetry, told } = given([new PortariaError(code, 'so it is')]);
      await expect(withRetry()).rejects.toMatchObject({ code });
      expect(told).toEqual([]);
    },
  );

  it('does not ask for ever when it may be our own mistake', async () => {
    const { withRetry, clock, calls } = given(Array.from({ length: 9 }, () => new TypeError('oops')));
    const done = withRetry();
    done.catch(() => undefined);
    for (let pause = 0; pause < 4; pause += 1) {
      await turn();
      clock.advance(clock.untilNext ?? 0);
    }
    await expect(done).rejects.toThrow('oops');
    expect(calls()).toBe(5);
  });

  it('cuts a pause short and tries a last time when there is no more time', async () => {
    const { withRetry, until, calls, clock } = given([full(), full(), full()]);
    const done = withRetry();
    await turn();
    until.abort();
    await expect(done).rejects.toMatchObject({ code: 'store-full' });
    expect(calls()).toBe(2);
    expect(clock.untilNext).toBeNull();
  });
});
