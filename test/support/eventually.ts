import { setTimeout as pause } from 'node:timers/promises';
import { inject, vi } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The default timeout of {@link eventually} in milliseconds: shorter than that of a test. */
    readonly eventuallyTimeoutMs: number;
  }
}

/** Milliseconds between two looks: at first, and at most. */
const POLL_MS = { least: 20, most: 250 };

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
  const start = performance.now();
  for (;;) {
    const result = await condition();
    if (result !== undefined && result !== false) return result;
    const waitedMs = performance.now() - start;
    if (waitedMs > timeoutMs) throw new Error(`not within ${String(timeoutMs)} ms: ${what}`);
    // A look takes the processors from what it waits for: a long wait is looked at less often.
    await pause(Math.max(POLL_MS.least, Math.min(waitedMs / 10, POLL_MS.most)));
  }
}

/** Repeats `check` until it throws no more, for as long as {@link eventually} waits: `vi.waitFor` gives up after a second. */
export function untilPasses<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: inject('eventuallyTimeoutMs') });
}
