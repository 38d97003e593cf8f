import { setTimeout as pause } from 'node:timers/promises';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** How long a project's tests wait, in milliseconds: less than one may take, or nobody reads for what. */
    readonly patienceMs: number;
  }
}

const POLL_MS = 20;

/**
 * Waits until `condition` gives something other than undefined or false, and
 * returns it. For what another process does; the deadline only ever matters to
 * a test that fails.
 */
export async function eventually<T>(
  what: string,
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  deadlineMs = inject('patienceMs'),
): Promise<T> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const result = await condition();
    if (result !== undefined && result !== false) return result;
    if (performance.now() > end) throw new Error(`not within ${String(deadlineMs)} ms: ${what}`);
    await pause(POLL_MS);
  }
}
