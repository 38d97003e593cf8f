import type { Cancel, Clock } from '../kernel/time/clock.ts';

/** Rejects what is awaited when its time is over. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed';
}

/** A time limit on what is awaited, beside the caller's own signal. */
export interface Deadline {
  /** Aborted when the time is over or the caller's signal is. */
  readonly signal: AbortSignal;
  /**
   * Settles as `work` does, or rejects when the signal aborts: not everything heeds it.
   *
   * @throws DeadlinePassed, or the reason of the caller's signal.
   */
  race<T>(work: PromiseLike<T> | T): Promise<T>;
  /** Gives it so many milliseconds from now on. */
  restart(ms: number): void;
  /** Stops the time until it is restarted. */
  suspend(): void;
  /** Aborts what still runs, and lets go of timer and signal. */
  end(): void;
}

export function startDeadline(clock: Clock, ms: number, outer?: AbortSignal): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  const aborted = new Promise<never>((_resolve, reject) => {
    // A caller's reason is whatever the caller says.
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  // It may abort while nothing is awaited.
  aborted.catch(() => undefined);
  let cancel: Cancel = () => undefined;

  function follow(): void {
    controller.abort(outer?.reason);
  }
  if (outer?.aborted === true) follow();
  else outer?.addEventListener('abort', follow, { once: true });

  function restart(next: number): void {
    cancel();
    cancel = clock.after(next, () => {
      controller.abort(new DeadlinePassed(`no answer within ${String(next)} ms`));
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
      outer?.removeEventListener('abort', follow);
      controller.abort();
    },
  };
}
