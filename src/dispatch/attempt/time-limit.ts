/** Runs handlers within their time limits, and ends them at shutdown. */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Clock } from '../../kernel/time/clock.ts';

/** Milliseconds that an aborted run gets at least to end. */
const MIN_UNWIND_MS = 2_000;

/** Milliseconds that an aborted run gets at most to end. */
const MAX_UNWIND_MS = 5_000;

type Settled =
  { readonly how: 'returned'; readonly value: unknown } | { readonly how: 'threw'; readonly error: unknown };

/** How a run ended, not yet classified. */
export type RunEnd =
  | Settled
  /** `abandoned`: it ignored its abort signal and may still be running. */
  | { readonly how: 'timed-out'; readonly afterMs: number; readonly abandoned: boolean }
  /** The run says nothing about the handler: the process stops, or `because` of the store's trouble. */
  | { readonly how: 'stopped'; readonly because?: string };

/** An abort signal that is created on first use: most handlers never look at it. */
export interface LazySignal {
  get(): AbortSignal;
  abort(reason: DOMException): void;
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
 */
export type RunWithin = (run: (signal: LazySignal) => unknown, timeoutMs: number) => RunEnd | Promise<RunEnd>;

export function createTimeLimit(deps: {
  readonly clock: Clock;
  /** Aborts when the process has no time left for any run. */
  readonly shutdown: AbortSignal;
}): RunWithin {
  const { clock, shutdown } = deps;
  // One listener for all runs: adding and removing one costs more than many a run.
  const stops = new Set<() => void>();
  shutdown.addEventListener('abort', () => {
    for (const stop of [...stops]) stop();
  });

  /** Resolves with what comes first: the settled run, `ms` milliseconds, or shutdown. */
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
    // A synchronous run ends before any timer could fire.
    return shutdown.aborted ? wait(Promise.resolve(end), signal, timeoutMs) : end;
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
