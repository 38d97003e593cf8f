/** Runs handlers within their time limits, and ends them at shutdown and when others have taken them over. */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Clock } from '../../kernel/time/clock.ts';

/** The reason of an abort after a lost lease. The outcome is not stored. */
const TAKEN_OVER = 'another process has taken over this delivery';

/** Minimum milliseconds that an aborted run gets to end. */
const MIN_UNWIND_MS = 2_000;

/** Maximum milliseconds that an aborted run gets to end. */
const MAX_UNWIND_MS = 5_000;

type Settled =
  { readonly how: 'returned'; readonly value: unknown } | { readonly how: 'threw'; readonly error: unknown };

/** How a run ended, not yet classified. */
export type RunEnd =
  | Settled
  /** `abandoned`: it ignored its abort signal and may still be running. */
  | { readonly how: 'timed-out'; readonly afterMs: number; readonly abandoned: boolean }
  /** The run says nothing about the handler: the process stops, or `because` of the store or of a lost lease. */
  | { readonly how: 'stopped'; readonly because?: string };

/** An abort signal that is created on first use: most handlers never use it. */
export interface LazySignal {
  get(): AbortSignal;
  abort(reason: DOMException): void;
}

/** The bounds of a run. */
export interface RunBounds {
  readonly timeoutMs: number;
  /** The lease under which the delivery runs. */
  readonly holder: number;
}

/**
 * Runs `run` until it settles, `timeoutMs` milliseconds have passed, or the
 * process stops. Never throws.
 *
 * At the timeout the signal aborts with a `TimeoutError` and the run has
 * failed, whatever it settles with later. It then gets as long again (2 s to
 * 5 s) to end, so that the lane's next attempt does not overlap with it. After
 * that it is abandoned: a lane must not wait for a promise that never settles.
 *
 * At shutdown the signal aborts and the run gets one tick of the event loop to
 * clean up. It counts as stopped even when it returns then, because handlers
 * often return early on abort. Running such a delivery twice loses nothing.
 *
 * When others have taken over the lease of the run, the signal aborts, and the run keeps its time to settle. It
 * counts as stopped whatever it settles with, because its outcome cannot be stored.
 */
export type RunWithin = (run: (signal: LazySignal) => unknown, bounds: RunBounds) => RunEnd | Promise<RunEnd>;

export interface TimeLimit {
  readonly runWithin: RunWithin;
  /** Aborts the runs under a lease that others have taken over. Returns how many ran. */
  readonly abortTakenOver: (holder: number) => number;
}

/** A run that has not settled at once. */
interface Running {
  readonly holder: number;
  readonly signal: LazySignal;
  isTakenOver: boolean;
}

export function createTimeLimit(deps: {
  readonly clock: Clock;
  /** Aborts when the process has no time left for any run. */
  readonly shutdown: AbortSignal;
}): TimeLimit {
  const { clock, shutdown } = deps;
  // One listener for all runs: adding and removing one costs more than many a run.
  const stops = new Set<() => void>();
  const all = new Set<Running>();
  shutdown.addEventListener('abort', () => {
    for (const stop of [...stops]) stop();
  });

  /** Resolves when the run has settled, after `ms` milliseconds, or at shutdown: with the first of the three. */
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

  async function wait(
    settled: Promise<Settled>,
    signal: LazySignal,
    { timeoutMs, holder }: RunBounds,
  ): Promise<RunEnd> {
    const running: Running = { holder, signal, isTakenOver: false };
    all.add(running);
    const end = await limited(settled, signal, timeoutMs);
    all.delete(running);
    return running.isTakenOver ? { how: 'stopped', because: TAKEN_OVER } : end;
  }

  async function limited(settled: Promise<Settled>, signal: LazySignal, timeoutMs: number): Promise<RunEnd> {
    const ended = await first(settled, timeoutMs);
    if (ended === 'elapsed') {
      signal.abort(new DOMException(`timed out after ${String(timeoutMs)} ms`, 'TimeoutError'));
      const unwindMs = Math.min(Math.max(timeoutMs, MIN_UNWIND_MS), MAX_UNWIND_MS);
      const unwound = await first(settled, unwindMs);
      const last = unwound === 'stopped' ? await Promise.race([settled, nextTick()]) : unwound;
      return { how: 'timed-out', afterMs: timeoutMs, abandoned: typeof last !== 'object' };
    }
    if (ended === 'stopped') {
      signal.abort(new DOMException('Portaria is stopping', 'AbortError'));
      await Promise.race([settled, nextTick()]);
      return { how: 'stopped' };
    }
    return ended;
  }

  const runWithin: RunWithin = (run, bounds) => {
    const signal = createLazySignal();
    let end: Settled;
    try {
      const value = run(signal);
      if (mayBePromise(value)) return wait(settle(value), signal, bounds);
      end = { how: 'returned', value };
    } catch (error) {
      end = { how: 'threw', error };
    }
    // A synchronous run ends before any timer could fire.
    return shutdown.aborted ? wait(Promise.resolve(end), signal, bounds) : end;
  };

  return {
    runWithin,
    abortTakenOver(holder) {
      const runs = [...all].filter((run) => run.holder === holder);
      for (const run of runs) {
        run.isTakenOver = true;
        run.signal.abort(new DOMException(TAKEN_OVER, 'AbortError'));
      }
      return runs.length;
    },
  };
}

/** Any object may be: reading `then` to find out would run foreign code outside `settle`. */
function mayBePromise(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** Never rejects, also when the run settles after it was abandoned. */
async function settle(value: unknown): Promise<Settled> {
  try {
    return { how: 'returned', value: await value };
  } catch (error) {
    return { how: 'threw', error };
  }
}

function createLazySignal(): LazySignal {
  let controller: AbortController | undefined;
  let abortedWith: DOMException | undefined;
  return {
    get() {
      if (controller === undefined) {
        controller = new AbortController();
        if (abortedWith !== undefined) controller.abort(abortedWith);
      }
      return controller.signal;
    },
    abort(reason) {
      abortedWith ??= reason;
      controller?.abort(reason);
    },
  };
}
