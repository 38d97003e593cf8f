import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { Clock } from '../kernel/time/clock.ts';
import { createLazySignal, type LazySignal } from './lazy-signal.ts';

/** How long a run that was aborted may take to come to an end, in milliseconds. */
const MIN_UNWIND_MS = 2_000;
const MAX_UNWIND_MS = 5_000;

type Settled =
  { readonly how: 'returned'; readonly value: unknown } | { readonly how: 'threw'; readonly error: unknown };

/** How a run ended, before anybody judges it. */
export type RunEnd =
  | Settled
  /** `abandoned`: it did not heed its signal and may still be running. */
  | { readonly how: 'timed-out'; readonly afterMs: number; readonly abandoned: boolean }
  /** Nothing was learnt: the process stops, or `because` of something else that is not the run's. */
  | { readonly how: 'stopped'; readonly because?: string };

/**
 * Runs `run` until it settles, its time (`timeoutMs` milliseconds) is up or the
 * process stops. Never throws.
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
export type RunWithin = (run: (signal: LazySignal) => unknown, timeoutMs: number) => RunEnd | Promise<RunEnd>;

export interface TimeLimitParts {
  readonly clock: Clock;
  /** Aborted when the process has no more time for any run. */
  readonly shutdown: AbortSignal;
}

export function createTimeLimit({ clock, shutdown }: TimeLimitParts): RunWithin {
  // One listener for all runs: adding and removing one is more work than many a run.
  const stops = new Set<() => void>();
  shutdown.addEventListener('abort', () => {
    for (const stop of [...stops]) stop();
  });

  /** What comes first: the end of the run, `ms` milliseconds, or the end of the process. */
  function first(settled: Promise<Settled>, ms: number): Promise<Settled | 'elapsed' | 'stopped'> {
    return new Promise((resolve) => {
      const end = (what: Settled | 'elapsed' | 'stopped'): void => {
        cancel();
        stops.delete(stop);
        resolve(what);
      };
      const stop = (): void => {
        end('stopped');
      };
      const cancel = clock.after(ms, () => {
        end('elapsed');
      });
      stops.add(stop);
      if (shutdown.aborted) stop();
      else void settled.then(end);
    });
  }

  async function wait(settled: Promise<Settled>, signal: LazySignal, timeoutMs: number): Promise<RunEnd> {
    const outcome = await first(settled, timeoutMs);
    if (outcome === 'elapsed') {
      signal.abort(new DOMException(`timed out after ${String(timeoutMs)} ms`, 'TimeoutError'));
      const unwindMs = Math.min(Math.max(timeoutMs, MIN_UNWIND_MS), MAX_UNWIND_MS);
      const unwound = await first(settled, unwindMs);
      const last = unwound === 'stopped' ? await Promise.race([settled, turnOfTheLoop()]) : unwound;
      return { how: 'timed-out', afterMs: timeoutMs, abandoned: typeof last !== 'object' };
    }
    if (outcome === 'stopped') {
      signal.abort(new DOMException('Portaria is stopping', 'AbortError'));
      await Promise.race([settled, turnOfTheLoop()]);
      return { how: 'stopped' };
    }
    return outcome;
  }

  return (run, timeoutMs) => {
    const signal = createLazySignal();
    let end: Settled;
    try {
      const value = run(signal);
      if (mayBePromise(value)) return wait(settle(value), signal, timeoutMs);
      end = { how: 'returned', value };
    } catch (error) {
      end = { how: 'threw', error };
    }
    // Over before any timer could have fired: there is no limit to keep.
    return shutdown.aborted ? wait(Promise.resolve(end), signal, timeoutMs) : end;
  };
}

/** Whatever has properties: to look for `then` is to run foreign code. */
function mayBePromise(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Catches what is rejected; also what settles after everybody has left: no unhandled rejection. */
async function settle(value: unknown): Promise<Settled> {
  try {
    return { how: 'returned', value: await value };
  } catch (error) {
    return { how: 'threw', error };
  }
}
