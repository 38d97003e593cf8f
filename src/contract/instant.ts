/** Instants of the contract: their pattern, and a form that sorts as text. */

const SHAPE =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:Z|([+-])(\d{2})(?::?(\d{2}))?)?$/;

/** The pattern of an instant for JSON Schema: an ISO 8601 date-time in the extended format. */
export const INSTANT_PATTERN = SHAPE.source;

/**
 * Rewrites an instant as `YYYY-MM-DDTHH:mm:ss.nnnnnnnnnZ`. The width is fixed, so comparing the strings
 * compares the instants. Null when `text` is not an instant.
 *
 * Accepts ISO 8601 date-times with `Z`, with an offset, or without either, which means UTC (specification,
 * Conventions 7). Seconds and their fraction are optional; digits after nanoseconds are cut off. A leap second
 * becomes the first second of the next minute. Nothing is rounded to milliseconds: providers that stamp
 * microseconds write several events within one millisecond.
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
  // After the year 9999 and before 0000 the string has a sign and more digits, and would not compare.
  if (wholeSeconds.length !== 'YYYY-MM-DDTHH:mm:ss.sssZ'.length) return null;
  return `${wholeSeconds.slice(0, 19)}.${(match[7] ?? '').slice(0, 9).padEnd(9, '0')}Z`;
}

/** Whether {@link normalizeInstant} accepts `text`. */
export function isInstant(text: string): boolean {
  return isPlainUtc(text) || normalizeInstant(text) !== null;
}

/** Whether `text` starts with an existing day, `YYYY-MM-DD`. */
export function startsWithDay(text: string): boolean {
  if (text[4] !== '-' || text[7] !== '-') return false;
  return isCalendarDay(digitsBetween(text, 0, 4), digitsBetween(text, 5, 7), digitsBetween(text, 8, 10));
}

/**
 * Whether `text` is an existing `YYYY-MM-DDTHH:mm:ssZ` with up to nine decimals. Nearly all instants have this
 * form, which needs neither arithmetic nor a regular expression.
 */
function isPlainUtc(text: string): boolean {
  const { length } = text;
  if (length < 20 || length > 30 || text[length - 1] !== 'Z') return false;
  if (text[10] !== 'T' || text[13] !== ':' || text[16] !== ':' || !startsWithDay(text)) return false;
  if (length > 20 && (text[19] !== '.' || length === 21 || Number.isNaN(digitsBetween(text, 20, length - 1))))
    return false;
  const [hour, minute, second] = [
    digitsBetween(text, 11, 13),
    digitsBetween(text, 14, 16),
    digitsBetween(text, 17, 19),
  ];
  return hour <= 23 && minute <= 59 && second <= 59;
}

/** Whether a day exists in the proleptic Gregorian calendar. `month` and `day` count from 1; NaN is no day. */
function isCalendarDay(year: number, month: number, day: number): boolean {
  return year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

const ZERO = 0x30;

/** Reads the ASCII digits from `start` up to `end` as a number; NaN when there is any other character. */
function digitsBetween(text: string, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at += 1) {
    // NaN after the end of the text, which fails both comparisons.
    const digit = text.charCodeAt(at) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return NaN;
    number = number * 10 + digit;
  }
  return number;
}
