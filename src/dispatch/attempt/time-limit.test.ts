import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { manualClock, type ManualClock } from '../../testing/manual-clock.ts';
import { createTimeLimit, type LazySignal, type RunEnd } from './time-limit.ts';

function given(timeoutMs = 1_000, holder = 0) {
  const clock: ManualClock = manualClock();
  const shutdown = new AbortController();
  const { runWithin, abortTakenOver } = createTimeLimit({ clock, shutdown: shutdown.signal });
  const runLazily = async (work: (signal: LazySignal) => unknown) => runWithin(work, { timeoutMs, holder });
  const run = (work: (signal: AbortSignal) => unknown) => runLazily((signal) => work(signal.get()));
  return { clock, shutdown, run, runLazily, abortTakenOver };
}

/** The promise's value, or `waiting` while it is pending. */
async function endSoFar(promise: Promise<RunEnd>): Promise<RunEnd | 'waiting'> {
  await nextTick();
  await nextTick();
  return Promise.race([promise, Promise.resolve('waiting' as const)]);
}

const never = (): Promise<never> => new Promise(() => undefined);

/** Runs until its signal aborts, passes on why, and then ends as `settle` does. */
const untilAborted =
  (note: (reason: unknown) => void, settle: () => unknown) =>
  (signal: AbortSignal): Promise<unknown> =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        note(signal.reason);
        resolve(settle());
      });
    });

describe('a run that settles in time', () => {
  it('returns the resolved value', async () => {
    const { run, clock } = given();
    expect(await run(() => Promise.resolve(7))).toEqual({ how: 'returned', value: 7 });
    expect(clock.untilNext, 'no timer is left').toBeNull();
  });

  it('returns what it threw or rejected with', async () => {
    const { run } = given();
    const atOnce = () => {
      throw new Error('at once');
    };
    expect(await run(atOnce)).toEqual({ how: 'threw', error: new Error('at once') });
    expect(await run(() => Promise.reject(new Error('later')))).toEqual({
      how: 'threw',
      error: new Error('later'),
    });
    // eslint-disable-next-line typescript/prefer-promise-reject-errors -- handlers may
    expect(await run(() => Promise.reject())).toEqual({ how: 'threw', error: undefined });
  });

  it('treats a thenable that throws as a throw', async () => {
    const { run } = given();
    const thenable = {
      // eslint-disable-next-line unicorn/no-thenable -- that is the point
      get then(): never {
        throw new Error('then');
      },
    };
    expect(await run(() => thenable)).toEqual({ how: 'threw', error: new Error('then') });
  });

  it('sets no timer when it is synchronous', async () => {
    const { run, clock } = given();
    const after = vi.spyOn(clock, 'after');
    expect(await run(() => 7)).toEqual({ how: 'returned', value: 7 });
    expect(after).not.toHaveBeenCalled();
  });

  it('awaits any thenable, function or object', async () => {
    const { run } = given();
    const then = (resolve: (value: number) => void): void => {
      resolve(7);
    };
    // oxlint-disable-next-line unicorn/no-thenable -- that is the point
    expect(await run(() => ({ then }))).toEqual({ how: 'returned', value: 7 });
    // oxlint-disable-next-line unicorn/no-thenable -- that is the point
    expect(await run(() => Object.assign(() => undefined, { then }))).toEqual({ how: 'returned', value: 7 });
  });
});

describe('a run that takes too long', () => {
  it('has its signal aborted with a TimeoutError, and has failed when it ends', async () => {
    const { run, clock } = given(1_000);
    let reason: unknown;
    const ended = run(
      untilAborted(
        (seen) => (reason = seen),
        () => Promise.reject(new Error('aborted')),
      ),
    );
    clock.advance(999);
    expect(await endSoFar(ended)).toBe('waiting');
    clock.advance(1);
    expect(await ended).toEqual({ how: 'timed-out', afterMs: 1_000, abandoned: false });
    expect(reason).toMatchObject({ name: 'TimeoutError', message: 'timed out after 1000 ms' });
  });

  it('gets an aborted signal when it first reads it after the timeout', async () => {
    const { runLazily, clock } = given(1_000);
    const gate = Promise.withResolvers<void>();
    let found: AbortSignal | undefined;
    const ended = runLazily(async (signal) => {
      await gate.promise;
      found = signal.get();
      expect(signal.get()).toBe(found);
    });
    clock.advance(1_000);
    await nextTick();
    gate.resolve();
    expect(await ended).toEqual({ how: 'timed-out', afterMs: 1_000, abandoned: false });
    expect(found).toMatchObject({ aborted: true, reason: { name: 'TimeoutError' } });
  });

  it.each([
    ['as long again', 3_000, 3_000],
    ['two seconds at least', 100, 2_000],
    ['five seconds at most', 60_000, 5_000],
  ])('gets %s to end, then is abandoned', async (_time, timeoutMs, graceMs) => {
    const { run, clock } = given(timeoutMs);
    const ended = run(never);
    clock.advance(timeoutMs);
    expect(await endSoFar(ended)).toBe('waiting');
    clock.advance(graceMs - 1);
    expect(await endSoFar(ended)).toBe('waiting');
    clock.advance(1);
    expect(await ended).toEqual({ how: 'timed-out', afterMs: timeoutMs, abandoned: true });
    expect(clock.untilNext).toBeNull();
  });
});

describe('a run whose lease others have taken over', () => {
  const takenOver = { how: 'stopped', because: 'another process has taken over this delivery' };

  it('keeps its place until it ends when it ignores its signal, or until its time is over', async () => {
    const { run, abortTakenOver, clock } = given(1_000, 7);
    const slow = Promise.withResolvers<string>();
    const [late, endless] = [run(() => slow.promise), run(never)];
    await nextTick();
    abortTakenOver(7);

    expect(await endSoFar(late)).toBe('waiting');
    slow.resolve('done');
    expect(await late).toEqual(takenOver);
    clock.advance(1_000);
    await nextTick();
    clock.advance(2_000);
    expect(await endless).toEqual(takenOver);
  });
});

describe('a run at shutdown', () => {
  it('counts as stopped when it caused the shutdown and ended synchronously', async () => {
    for (const last of [() => 7, () => JSON.parse('{') as unknown]) {
      const { runLazily, shutdown } = given();
      let signalOfRun: LazySignal | undefined;
      const ended = runLazily((signal) => {
        signalOfRun = signal;
        shutdown.abort();
        return last();
      });
      expect(await ended).toEqual({ how: 'stopped' });
      expect(signalOfRun?.get().reason).toMatchObject({ name: 'AbortError' });
    }
  });

  it('is abandoned at once while it has time to end after its timeout', async () => {
    const { run, shutdown, clock } = given(1_000);
    const ended = run(never);
    clock.advance(1_000);
    await nextTick();
    shutdown.abort();
    expect(await ended).toMatchObject({ how: 'timed-out' });
    expect(clock.untilNext).toBeNull();
  });
});
