/** Reads Retry-After headers. */

/** The longest wait that {@link retryAfterMs} returns unless the caller sets another: 5 minutes. */
export const MAX_RETRY_AFTER_MS = 300_000;

/**
 * Reads a `Retry-After` header: whole seconds or an HTTP date (RFC 9110, section 10.2.3).
 *
 * @param now milliseconds since 1970
 * @param maxMs the longest wait in milliseconds; a longer one is cut to it
 * @returns milliseconds from 0 to `maxMs`; null when the header is absent or cannot be read
 */
export function retryAfterMs(
  header: string | null | undefined,
  now: number,
  maxMs = MAX_RETRY_AFTER_MS,
): number | null {
  const value = header?.trim() ?? '';
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : parseHttpDate(value) - now;
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), maxMs);
}

/** The three forms of RFC 9110, section 5.6.7. Date.parse alone reads `-1` as a year. */
const HTTP_DATE = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? [a-z\d -]+ \d\d:\d\d:\d\d (?:GMT|\d{4})$/i;

/** Milliseconds since 1970; NaN when `value` is no HTTP date. */
function parseHttpDate(value: string): number {
  if (!HTTP_DATE.test(value)) return NaN;
  // The form of asctime names no zone and means GMT; Date.parse would read local time.
  return Date.parse(/GMT$/i.test(value) ? value : `${value} GMT`);
}
