import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { manualClock, type ManualClock } from '../testing/manual-clock.ts';
import type { LazySignal } from './lazy-signal.ts';
import { createTimeLimit, type RunEnd } from './time-limit.ts';

function given(timeoutMs = 1_000) {
  const clock: ManualClock = manualClock();
  const shutdown = new AbortController();
  const runWithin = createTimeLimit({ clock, shutdown: shutdown.signal });
  const runLazily = async (work: (signal: LazySignal) => unknown) => runWithin(work, timeoutMs);
  const run = (work: (signal: AbortSignal) => unknown) => runLazily((signal) => work(signal.get()));
  return { clock, shutdown, run, runLazily };
}

/** Whether a promise has settled by now. */
async function outcomeSoFar(promise: Promise<RunEnd>): Promise<RunEnd | 'waiting'> {
  await turn();
  await turn();
  return Promise.race([promise, Promise.resolve('waiting' as const)]);
}

const never = (): Promise<never> => new Promise(() => undefined);

describe('a run that settles in time', () => {
  it('gives what it returned, awaited', async () => {
    const { run, clock } = given();
    expect(await run(() => Promise.resolve(7))).toEqual({ how: 'returned', value: 7 });
    expect(clock.untilNext, 'no timer is left').toBeNull();
  });

  it('gives what it threw, at once or later', async () => {
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

  it('takes a thenable that throws for a throw', async () => {
    const { run } = given();
    const thenable = {
      // eslint-disable-next-line unicorn/no-thenable -- that is the point
      get then(): never {
        throw new Error('then');
      },
    };
    expect(await run(() => thenable)).toEqual({ how: 'threw', error: new Error('then') });
  });

  it('gives what it returned at once, without a timer', async () => {
    const { run, clock } = given();
    const after = vi.spyOn(clock, 'after');
    expect(await run(() => 7)).toEqual({ how: 'returned', value: 7 });
    expect(after).not.toHaveBeenCalled();
  });

  it('gives what a thenable of its own making resolves with, function or object', async () => {
    const { run } = given();
    const then = (resolve: (value: number) => void): void => {
      resolve(7);
    };
    // oxlint-disable-next-line unicorn/no-thenable -- that is the point
    expect(await run(() => ({ then }))).toEqual({ how: 'returned', value: 7 });
    // oxlint-disable-next-line unicorn/no-thenable -- that is the point
    expect(await run(() => Object.assign(() => undefined, { then }))).toEqual({ how: 'returned', value: 7 });
  });

  it('does not abort its signal', async () => {
    const { run } = given();
    let seen: AbortSignal | undefined;
    await run((signal) => (seen = signal));
    expect(seen?.aborted).toBe(false);
  });
});

describe('a run that takes too long', () => {
  it('gets its signal aborted with a TimeoutError, and has failed once it ends', async () => {
    const { run, clock } = given(1_000);
    let reason: unknown;
    const ended = run(
      (signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            reject(new Error('aborted'));
          });
        }),
    );
    clock.advance(999);
    expect(await outcomeSoFar(ended)).toBe('waiting');
    clock.advance(1);
    expect(await ended).toEqual({ how: 'timed-out', afterMs: 1_000, abandoned: false });
    expect(reason).toMatchObject({ name: 'TimeoutError', message: 'timed out after 1000 ms' });
  });

  it('finds its signal aborted when it first looks at it after the timeout', async () => {
    const { runLazily, clock } = given(1_000);
    const gate = Promise.withResolvers<void>();
    let found: AbortSignal | undefined;
    const ended = runLazily(async (signal) => {
      await gate.promise;
      found = signal.get();
      expect(signal.get()).toBe(found);
    });
    clock.advance(1_000);
    await turn();
    gate.resolve();
    expect(await ended).toEqual({ how: 'timed-out', afterMs: 1_000, abandoned: false });
    expect(found).toMatchObject({ aborted: true, reason: { name: 'TimeoutError' } });
  });

  it('has failed even when it succeeds after the timeout', async () => {
    const { run, clock } = given(1_000);
    const { promise, resolve } = Promise.withResolvers<string>();
    const ended = run(() => promise);
    clock.advance(1_000);
    await turn();
    resolve('too late');
    expect(await ended).toEqual({ how: 'timed-out', afterMs: 1_000, abandoned: false });
  });

  it('is given as long again to end, then abandoned', async () => {
    const { run, clock } = given(3_000);
    const ended = run(never);
    clock.advance(3_000);
    expect(await outcomeSoFar(ended)).toBe('waiting');
    clock.advance(2_999);
    expect(await outcomeSoFar(ended)).toBe('waiting');
    clock.advance(1);
    expect(await ended).toEqual({ how: 'timed-out', afterMs: 3_000, abandoned: true });
    expect(clock.untilNext).toBeNull();
  });

  it('is given two seconds at least, however short its time was', async () => {
    const { run, clock } = given(100);
    const ended = run(never);
    clock.advance(100);
    await turn();
    clock.advance(1_999);
    expect(await outcomeSoFar(ended)).toBe('waiting');
    clock.advance(1);
    expect(await ended).toEqual({ how: 'timed-out', afterMs: 100, abandoned: true });
  });

  it('is given five seconds at most', async () => {
    const { run, clock } = given(60_000);
    const ended = run(never);
    clock.advance(60_000);
    await turn();
    clock.advance(5_000);
    expect(await ended).toMatchObject({ abandoned: true });
  });

  it('may reject after everybody has left: nobody is bothered', async () => {
    const { run, clock } = given(10);
    const unhandled: unknown[] = [];
    const note = (reason: unknown): unknown => unhandled.push(reason);
    process.on('unhandledRejection', note);
    const { promise, reject } = Promise.withResolvers();
    const ended = run(() => promise);
    clock.advance(10);
    await turn();
    clock.advance(2_000);
    await ended;
    reject(new Error('far too late'));
    await turn();
    await turn();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

describe('a run at shutdown', () => {
  it('gets its signal aborted and counts as stopped, whatever it does then', async () => {
    const { run, shutdown, clock } = given();
    let reason: unknown;
    const ended = run(
      (signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            resolve('left early');
          });
        }),
    );
    await turn();
    shutdown.abort();
    expect(await ended).toEqual({ how: 'stopped' });
    expect(reason).toMatchObject({ name: 'AbortError' });
    expect(clock.untilNext).toBeNull();
  });

  it('is left at once when it heeds no signal', async () => {
    const { run, shutdown } = given();
    const ended = run(never);
    await turn();
    shutdown.abort();
    expect(await ended).toEqual({ how: 'stopped' });
  });

  it('counts as stopped when it ended the process itself, and returned or threw at once', async () => {
    for (const last of [() => 7, () => JSON.parse('{') as unknown]) {
      const { runLazily, shutdown } = given();
      let kept: LazySignal | undefined;
      const ended = runLazily((signal) => {
        kept = signal;
        shutdown.abort();
        return last();
      });
      expect(await ended).toEqual({ how: 'stopped' });
      expect(kept?.get().reason).toMatchObject({ name: 'AbortError' });
    }
  });

  it('is one of many: each is told', async () => {
    const { run, shutdown } = given();
    const ends = [1, 2, 3].map(() => run(never));
    await turn();
    shutdown.abort();
    expect(await Promise.all(ends)).toEqual([{ how: 'stopped' }, { how: 'stopped' }, { how: 'stopped' }]);
  });

  it('is left at once while it is given time to end after its timeout', async () => {
    const { run, shutdown, clock } = given(1_000);
    const ended = run(never);
    clock.advance(1_000);
    await turn();
    shutdown.abort();
    expect(await ended).toMatchObject({ how: 'timed-out' });
    expect(clock.untilNext).toBeNull();
  });
});
