import { beginsWithDay, isCalendarDay } from './field/calendar.ts';
import { digitsBetween } from './field/digits.ts';

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
  if (isPlainUtc(text)) return `${text.slice(0, 19)}.${text.slice(20, -1).padEnd(9, '0')}Z`;
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

/** Whether `text` is what {@link normalizeInstant} takes. */
export function isInstant(text: string): boolean {
  return isPlainUtc(text) || normalizeInstant(text) !== null;
}

/**
 * Whether `text` is `YYYY-MM-DDTHH:mm:ssZ`, with up to nine decimals, and exists: how nearly all
 * instants come, and in need of neither arithmetic nor a regular expression.
 */
function isPlainUtc(text: string): boolean {
  const { length } = text;
  if (length < 20 || length > 30 || text[length - 1] !== 'Z') return false;
  if (text[10] !== 'T' || text[13] !== ':' || text[16] !== ':' || !beginsWithDay(text)) return false;
  if (length > 20 && (text[19] !== '.' || length === 21 || Number.isNaN(digitsBetween(text, 20, length - 1))))
    return false;
  const [hour, minute, second] = [
    digitsBetween(text, 11, 13),
    digitsBetween(text, 14, 16),
    digitsBetween(text, 17, 19),
  ];
  return hour <= 23 && minute <= 59 && second <= 59;
}
