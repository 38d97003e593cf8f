import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { PortariaError } from '../kernel/errors.ts';
import type { DeliveryKey } from '../store/lane-queue.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { createRetriedStore, type DispatchStore, type RetriedStore } from './retried-store.ts';

/** A store whose calls fail one after the other with `failures`, and then succeed. */
function given(failures: readonly unknown[]) {
  const clock = manualClock();
  const closing = new AbortController();
  const shutdown = new AbortController();
  const emitted: string[] = [];
  const calls: unknown[][] = [];
  const left = [...failures];
  const call = async (...args: unknown[]): Promise<string> => {
    calls.push(args);
    // eslint-disable-next-line typescript/only-throw-error -- stores may throw anything
    if (left.length > 0) throw left.shift();
    return Promise.resolve('stored');
  };
  const store: RetriedStore = createRetriedStore({
    store: new Proxy({}, { get: () => call }) as DispatchStore,
    clock,
    telemetry: { emit: (name) => void emitted.push(name) },
    closing: closing.signal,
    shutdown: shutdown.signal,
  });
  return {
    clock,
    closing,
    shutdown,
    emitted,
    calls,
    store,
    /** Any call that goes on until shutdown. */
    read: () => store.eventBefore('default', { family: 'charge', id: '1' }, 'e1'),
    /** Advances the clock to the next try. */
    async nextTry() {
      await nextTick();
      const waitMs = clock.untilNext ?? 0;
      clock.advance(waitMs);
      await nextTick();
      return waitMs;
    },
  };
}

const full = (): PortariaError => new PortariaError('store-full', 'no room');
const delivery: DeliveryKey = { id: 'd1', lane: 'l1', holder: 0, start: 0, handler: 'any', replay: null };

describe('a call of the store', () => {
  it('is repeated after waits that double up to ten seconds, and each failure is reported', async () => {
    const { read, nextTry, emitted } = given(Array.from({ length: 10 }, full));
    const done = read();
    const waits: number[] = [];
    for (let failure = 0; failure < 10; failure += 1) waits.push(await nextTry());
    expect(await done).toBe('stored');
    expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000, 10_000]);
    expect(emitted).toEqual(Array(10).fill('dispatch.failed'));
  });

  it.each(['machine-conflict', 'not-found', 'invalid-argument', 'stopping'] as const)(
    'is not repeated after %s',
    async (code) => {
      const { read, emitted } = given([new PortariaError(code, 'so it is')]);
      await expect(read()).rejects.toMatchObject({ code });
      expect(emitted).toEqual([]);
    },
  );

  it('is given up after five tries that fail with an unknown error', async () => {
    const { read, nextTry, calls } = given(Array.from({ length: 9 }, () => new TypeError('oops')));
    const done = read();
    done.catch(() => undefined);
    for (let wait = 0; wait < 4; wait += 1) await nextTry();
    await expect(done).rejects.toThrow('oops');
    expect(calls).toHaveLength(5);
  });

  it('ends its wait at shutdown, after a last try', async () => {
    const { read, shutdown, calls, clock } = given([full(), full(), full()]);
    const done = read();
    await nextTick();
    shutdown.abort();
    await expect(done).rejects.toMatchObject({ code: 'store-full' });
    expect(calls).toHaveLength(2);
    expect(clock.untilNext).toBeNull();
  });
});

describe('when the process closes', () => {
  it('claims end, and outcomes are still recorded', async () => {
    const { store, closing, nextTry, calls } = given([full(), full(), full()]);
    const claim = store.claim({ handlers: ['any'], limit: 1 });
    const release = store.release([delivery], { waitMs: 0 });
    await nextTick();

    closing.abort();

    await expect(claim).rejects.toMatchObject({ code: 'store-full' });
    await nextTry();
    await release;
    expect(calls).toHaveLength(4);
  });

  it('an outcome that is recorded then claims nothing, even if its first try would have', async () => {
    const { store, closing, nextTry, calls } = given([full()]);
    const completed = store.complete(delivery, { status: 'succeeded' }, { next: true });
    await nextTick();
    closing.abort();
    await nextTry();
    await completed;
    expect(calls.map(([, , options]) => options)).toMatchObject([{ next: true }, { next: false }]);
  });

  it('a long history is read no further at shutdown', async () => {
    const { store, shutdown, calls } = given([]);
    shutdown.abort();
    await expect(store.storedEvents(['e1'])).rejects.toMatchObject({ code: 'stopping' });
    expect(calls).toEqual([]);
  });
});

describe('the time of a call', () => {
  it('is that of each try for claims, ends and releases', async () => {
    const { store, clock, nextTry, calls } = given([full()]);
    const began = clock.now();
    const released = store.release([delivery], { waitMs: 1_000 });
    await nextTry();
    await released;
    expect(calls).toEqual([
      [[delivery], { dueAt: began + 1_000 }],
      [[delivery], { dueAt: began + 1_100 }],
    ]);
  });

  it('is that of the first try for a retry, whose wait begins with the end of its attempt', async () => {
    const { store, clock, nextTry, calls } = given([full()]);
    const now = clock.now();
    const rescheduled = store.reschedule(delivery, { waitMs: 5_000, reason: 'no', durationMs: 3 });
    await nextTry();
    await rescheduled;
    const failure = { now, dueAt: now + 5_000, reason: 'no', durationMs: 3 };
    expect(calls).toEqual([
      [delivery, failure],
      [delivery, failure],
    ]);
  });
});
