/**
 * Milliseconds to wait by a `Retry-After` header, which is seconds or an HTTP
 * date (RFC 9110, 10.2.3); 0 for a date that has passed. Null when there is
 * none, or none that can be read.
 *
 * @param now milliseconds since 1970.
 */
export function retryAfterMs(header: string | null, now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // Every form of an HTTP date begins with the name of a day. Date.parse alone would take `-1` for a year.
  const instant = /^(mon|tue|wed|thu|fri|sat|sun)/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(instant) ? null : Math.max(0, instant - now);
}
