import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 25;

/**
 * Waits until `condition` returns a result, and returns it.
 *
 * @template T
 * @param {string} what for the error
 * @param {number} limitMs
 * @param {AbortSignal} signal
 * @param {() => T | undefined | false | Promise<T | undefined | false>} condition
 * @returns {Promise<T>}
 * @throws {Error} after `limitMs`, or the signal's reason
 */
export async function eventually(what, limitMs, signal, condition) {
  const end = performance.now() + limitMs;
  for (;;) {
    signal.throwIfAborted();
    const result = await condition();
    if (result !== undefined && result !== false) return result;
    if (performance.now() > end) throw new Error(`not within ${limitMs / 1000} s: ${what}`);
    await pause(POLL_MS, undefined, { signal });
  }
}
