import { digitsBetween } from './digits.ts';

/** Whether the day exists in the (proleptic) Gregorian calendar. `month` and `day` from 1; no day has a NaN. */
export function isCalendarDay(year: number, month: number, day: number): boolean {
  return year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/** Whether `YYYY-MM-DD` stands at the beginning of `text`, and exists. */
export function beginsWithDay(text: string): boolean {
  if (text[4] !== '-' || text[7] !== '-') return false;
  return isCalendarDay(digitsBetween(text, 0, 4), digitsBetween(text, 5, 7), digitsBetween(text, 8, 10));
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}
