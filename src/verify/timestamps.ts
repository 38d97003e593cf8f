/** Checks when a message was signed. */
import { notVerified } from './headers.ts';

/** The tolerance that Standard Webhooks recommends and its library uses. */
export const TOLERANCE_SECONDS = 300;

/** Fewer milliseconds were in 1973, and more seconds are in 5138. */
const MIN_MILLISECONDS = 100_000_000_000;

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)$/;

/** Reads seconds or milliseconds since 1970, or an instant of ISO 8601, to seconds; undefined for anything else. */
export function readTimestamp(value: string): number | undefined {
  if (INSTANT.test(value)) return Math.floor(Date.parse(value) / 1000) || undefined;
  if (!/^\d{1,15}$/.test(value)) return undefined;
  const number = Number(value);
  return number < MIN_MILLISECONDS ? number : Math.floor(number / 1000);
}

/**
 * Prevents replays of recorded messages.
 *
 * @param name the header with the timestamp
 * @throws PortariaError `not-verified`
 */
export function checkTimestamp(name: string, at: number, now: number, tolerance: number): void {
  const seconds = Math.abs(now - at);
  if (seconds <= tolerance) return;
  const side = at < now ? 'old' : 'far in the future';
  throw notVerified(
    at < now ? 'too-old' : 'too-new',
    `The header ${name} is too ${side}: by ${String(seconds)} seconds, more than ${String(tolerance)}`,
    seconds,
  );
}
