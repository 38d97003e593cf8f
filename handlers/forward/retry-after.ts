/** Bounds, in milliseconds: neither a loop without a pause, nor an event held for days. */
const LEAST = 1000;
const MOST = 3_600_000;

/**
 * Milliseconds to wait by a `Retry-After` header, which is seconds or an HTTP
 * date (RFC 9110, 10.2.3): from a second to an hour. Null when there is none,
 * or none that can be read.
 *
 * @param now milliseconds since 1970.
 */
export function retryAfterMs(header: string | null, now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return bounded(Number(text) * 1000);
  // Every form of an HTTP date begins with the name of a day. Date.parse alone would take `-1` for a year.
  const instant = /^(mon|tue|wed|thu|fri|sat|sun)/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(instant) ? null : bounded(instant - now);
}

function bounded(ms: number): number {
  return Math.min(Math.max(ms, LEAST), MOST);
}
