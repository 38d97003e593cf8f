/** The time limits of calls. */
import type { Cancel, Clock } from '../time/clock.ts';

/** The rejection of work that did not finish before its deadline. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed';
}

/** A time limit for asynchronous work, combined with the caller's own signal. */
export interface Deadline {
  /** Aborts when the time is over or when the caller's signal aborts. */
  readonly signal: AbortSignal;
  /**
   * Settles like `work`, or rejects as soon as the signal aborts, even if `work` ignores the signal.
   *
   * @throws DeadlinePassed, or the reason of the caller's signal.
   */
  race<T>(work: PromiseLike<T> | T): Promise<T>;
  /** Sets the limit to `ms` milliseconds from now. */
  restart(ms: number): void;
  /** Stops the clock until `restart`. */
  suspend(): void;
  /** Aborts the remaining work and releases the timer and the caller's signal. */
  end(): void;
}

/**
 * Starts a deadline. The caller must call `end`.
 *
 * @param ms milliseconds from now
 * @param outer the caller's signal
 */
export function startDeadline(clock: Clock, ms: number, outer?: AbortSignal): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  const aborted = new Promise<never>((_resolve, reject) => {
    // The caller chooses the reason, which need not be an Error.
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  // Nothing may be racing when the signal aborts.
  aborted.catch(() => undefined);
  let cancel: Cancel = () => undefined;

  function abortLikeOuter(): void {
    controller.abort(outer?.reason);
  }
  if (outer?.aborted === true) abortLikeOuter();
  else outer?.addEventListener('abort', abortLikeOuter, { once: true });

  function restart(next: number): void {
    cancel();
    cancel = clock.after(next, () => {
      controller.abort(new DeadlinePassed(`no response within ${String(next)} ms`));
    });
  }
  restart(ms);

  return {
    signal,
    race: (work) => Promise.race([work, aborted]),
    restart,
    suspend() {
      cancel();
    },
    end() {
      cancel();
      outer?.removeEventListener('abort', abortLikeOuter);
      controller.abort();
    },
  };
}
