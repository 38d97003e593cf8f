import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';

/** How long a run that was aborted may take to come to an end, in milliseconds. */
const SHORTEST_UNWIND_MS = 2_000;
const LONGEST_UNWIND_MS = 5_000;

/** How a run ended, before anybody judges it. */
export type RunEnd =
  | { readonly how: 'returned'; readonly value: unknown }
  | { readonly how: 'threw'; readonly error: unknown }
  /** `abandoned`: it did not heed its signal and may still be running. */
  | { readonly how: 'timed-out'; readonly afterMs: number; readonly abandoned: boolean }
  /** Nothing was learnt: the process stops, or `because` of something else that is not the run's. */
  | { readonly how: 'stopped'; readonly because?: string };

export interface RunLimits {
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Aborted when the process has no more time for the run. */
  readonly shutdown: AbortSignal;
}

/**
 * Runs `run` until it settles, its time is up or the process stops. Never throws.
 *
 * At the timeout its signal is aborted with a `TimeoutError` and the run has
 * failed, whatever it settles with afterwards. It is given as long again (2 s
 * at least, 5 s at most) to come to an end, so that the next try in its lane
 * overlaps with it only when it ignores its signal for longer than that: then
 * it is abandoned, for a lane must not stand still for a promise that nobody
 * will settle.
 *
 * At shutdown its signal is aborted and the run has one turn of the event loop
 * to clean up. It counts as stopped even when it returns then: many a handler
 * returns early because of the signal, and running twice loses nothing.
 */
export async function runWithin(
  run: (signal: AbortSignal) => unknown,
  { timeoutMs, clock, shutdown }: RunLimits,
): Promise<RunEnd> {
  const controller = new AbortController();
  // Also what settles after everybody has left is handled: no unhandled rejection.
  const settled = settle(() => run(controller.signal));
  const timeout = timer(clock, timeoutMs);
  const stop = aborted(shutdown);
  try {
    const first = await Promise.race([settled, timeout.elapsed, stop.happened]);
    if (first === 'elapsed') {
      controller.abort(new DOMException(`timed out after ${String(timeoutMs)} ms`, 'TimeoutError'));
      const unwindMs = Math.min(Math.max(timeoutMs, SHORTEST_UNWIND_MS), LONGEST_UNWIND_MS);
      const unwind = timer(clock, unwindMs);
      const last = await Promise.race([settled, unwind.elapsed, stop.happened.then(turnOfTheLoop)]);
      unwind.cancel();
      return { how: 'timed-out', afterMs: timeoutMs, abandoned: typeof last !== 'object' };
    }
    if (first === 'stopped') {
      controller.abort(new DOMException('Portaria is stopping', 'AbortError'));
      await Promise.race([settled, turnOfTheLoop()]);
      return { how: 'stopped' };
    }
    return first;
  } finally {
    timeout.cancel();
    stop.cancel();
  }
}

/** Catches what is thrown at once as well as what is rejected later. */
async function settle(run: () => unknown): Promise<Extract<RunEnd, { how: 'returned' | 'threw' }>> {
  try {
    return { how: 'returned', value: await run() };
  } catch (error) {
    return { how: 'threw', error };
  }
}

function timer(clock: Clock, ms: number): { elapsed: Promise<'elapsed'>; cancel: () => void } {
  let cancel = (): void => undefined;
  const elapsed = new Promise<'elapsed'>((resolve) => {
    cancel = clock.after(ms, () => {
      resolve('elapsed');
    });
  });
  return {
    elapsed,
    cancel: () => {
      cancel();
    },
  };
}

function aborted(signal: AbortSignal): { happened: Promise<'stopped'>; cancel: () => void } {
  const listening = new AbortController();
  const happened = new Promise<'stopped'>((resolve) => {
    const stopped = (): void => {
      resolve('stopped');
    };
    if (signal.aborted) stopped();
    else signal.addEventListener('abort', stopped, { once: true, signal: listening.signal });
  });
  return {
    happened,
    cancel: () => {
      listening.abort();
    },
  };
}
