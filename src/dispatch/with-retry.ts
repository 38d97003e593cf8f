import { PortariaError, type ErrorCode } from '../kernel/errors.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { pause } from '../kernel/time/pause.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { failureReason } from '../kernel/failure-reason.ts';

/** The pause after the first failure, in milliseconds; each one more doubles it, */
const FIRST_PAUSE_MS = 100;
/** up to this. */
const MAX_PAUSE_MS = 10_000;
/** Tries at what may well be a mistake of ours rather than trouble outside. */
const MAX_TRIES = 5;

/** Passes when somebody makes room or lets go: worth waiting for, however long it takes. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['store-full', 'store-busy', 'store-read-only']);
/** Trying again gives the same answer: the caller must decide. */
const FINAL: ReadonlySet<ErrorCode> = new Set([
  'machine-conflict',
  'not-found',
  'invalid-argument',
  'stopping',
]);

/**
 * Calls the store until it does not fail, with pauses that double: a full
 * disk or a busy file must neither lose an outcome nor cost a try.
 *
 * @throws what the store threw, when trying again is no use or `until` is aborted
 */
export type WithRetry = <T>(action: () => Promise<T>, until: AbortSignal) => Promise<T>;

export function createWithRetry(parts: { readonly clock: Clock; readonly telemetry: Telemetry }): WithRetry {
  const { clock, telemetry } = parts;

  async function again<T>(action: () => Promise<T>, until: AbortSignal, first: unknown): Promise<T> {
    let error = first;
    for (let tries = 1, pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      const code = PortariaError.is(error) ? error.code : 'store-failed';
      if (FINAL.has(code)) throw error;
      telemetry.emit('dispatch.failed', { reason: failureReason(error) });
      if (until.aborted || (!PASSING.has(code) && tries >= MAX_TRIES)) throw error;
      tries += 1;
      // An abort ends the pause: one last attempt follows.
      await pause(clock, pauseMs, until);
      try {
        return await action();
      } catch (failure) {
        error = failure;
      }
    }
  }

  // Every outcome passes here, and next to none needs a second try.
  return (action, until) => attempt(action).catch((error: unknown) => again(action, until, error));
}

function attempt<T>(action: () => Promise<T>): Promise<T> {
  try {
    return action();
  } catch (error) {
    return Promise.reject(error);
  }
}
