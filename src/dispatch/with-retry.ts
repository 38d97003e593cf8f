/** Repeats calls of the store until they succeed. */
import { PortariaError, type ErrorCode } from '../kernel/errors.ts';
import { failureReason } from '../kernel/failure-reason.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { pause } from '../kernel/time/pause.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

/** Milliseconds before the second call. Each further wait is twice as long. */
const FIRST_WAIT_MS = 100;

/** Milliseconds of the longest wait between calls. */
const MAX_WAIT_MS = 10_000;

/** Calls that may fail with an error that waiting does not mend for certain. */
const MAX_CALLS = 5;

/** Errors that pass once there is room or a lock is free: retried without limit. */
const TRANSIENT: ReadonlySet<ErrorCode> = new Set(['store-full', 'store-busy', 'store-read-only']);

/** Errors that another call would only repeat: the caller decides. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  'machine-conflict',
  'not-found',
  'invalid-argument',
  'stopping',
]);

/**
 * Calls the store until it succeeds, with exponential backoff: a full disk or
 * a locked file must neither lose an outcome nor cost an attempt.
 *
 * @throws the store's error, when retrying is useless or `until` is aborted
 */
export type WithRetry = <T>(action: () => Promise<T>, until: AbortSignal) => Promise<T>;

export function createWithRetry(deps: { readonly clock: Clock; readonly telemetry: Telemetry }): WithRetry {
  const { clock, telemetry } = deps;

  async function retry<T>(action: () => Promise<T>, until: AbortSignal, first: unknown): Promise<T> {
    let error = first;
    for (let calls = 1, waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
      const code = PortariaError.is(error) ? error.code : 'store-failed';
      if (FINAL.has(code)) throw error;
      telemetry.emit('dispatch.failed', { reason: failureReason(error) });
      if (until.aborted || (!TRANSIENT.has(code) && calls >= MAX_CALLS)) throw error;
      calls += 1;
      // An abort ends the wait; one last call follows.
      await pause(clock, waitMs, until);
      try {
        return await action();
      } catch (failure) {
        error = failure;
      }
    }
  }

  // Nearly every call succeeds: the retrying function is entered only after a failure.
  return (action, until) => call(action).catch((error: unknown) => retry(action, until, error));
}

function call<T>(action: () => Promise<T>): Promise<T> {
  try {
    return action();
  } catch (error) {
    return Promise.reject(error);
  }
}
