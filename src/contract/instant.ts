import { isCalendarDay } from './field/calendar.ts';

const SHAPE =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:Z|([+-])(\d{2})(?::?(\d{2}))?)?$/;

/** What an instant looks like, for JSON Schema: an ISO 8601 date-time in the extended format. */
export const INSTANT_PATTERN = SHAPE.source;

/**
 * One spelling per instant: `YYYY-MM-DDTHH:mm:ss.nnnnnnnnnZ`, of fixed width, so
 * that comparing the texts compares the instants. Null when `text` is none.
 *
 * Takes ISO 8601 date-times with `Z`, with an offset, or with neither, which
 * counts as UTC (specification, Conventions 7). Seconds and their fraction may
 * be left out; digits beyond nanoseconds are cut off. A leap second is the
 * first second of the next minute. Nothing is rounded through milliseconds:
 * providers that stamp microseconds write several events within one.
 */
export function normalizeInstant(text: string): string | null {
  const match = SHAPE.exec(text);
  if (match === null) return null;
  const part = (index: number): number => Number(match[index] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const [offsetHour, offsetMinute] = [part(9), part(10)];
  if (!isCalendarDay(year, month, day)) return null;
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return null;

  const sign = match[8] === '-' ? -1 : 1;
  const instant = new Date(0);
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  instant.setUTCFullYear(year, month - 1, day);
  instant.setUTCHours(hour - sign * offsetHour, minute - sign * offsetMinute, second);

  const wholeSeconds = instant.toISOString();
  // Beyond the year 9999, or before 0000, the text grows a sign and digits and would no longer compare.
  if (wholeSeconds.length !== 'YYYY-MM-DDTHH:mm:ss.sssZ'.length) return null;
  return `${wholeSeconds.slice(0, 19)}.${(match[7] ?? '').slice(0, 9).padEnd(9, '0')}Z`;
}
