import { setTimeout as pause } from 'node:timers/promises';
import { inject, vi } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The default timeout of {@link eventually} in milliseconds: shorter than that of a test. */
    readonly eventuallyTimeoutMs: number;
  }
}

const POLL_MS = 20;

/**
 * Polls `condition` until it returns something other than undefined or false, and returns that. Used to
 * wait for another process; only a failing test reaches the timeout.
 *
 * @param what the condition in words, for the error.
 * @throws Error after `timeoutMs` milliseconds.
 */
export async function eventually<T>(
  what: string,
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = inject('eventuallyTimeoutMs'),
): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const result = await condition();
    if (result !== undefined && result !== false) return result;
    if (performance.now() > end) throw new Error(`not within ${String(timeoutMs)} ms: ${what}`);
    await pause(POLL_MS);
  }
}

/** Repeats `check` until it throws no more, for as long as {@link eventually} waits: `vi.waitFor` gives up after a second. */
export function untilPasses<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: inject('eventuallyTimeoutMs') });
}
