/** Instants in the time zone of this machine, as commands print and read them. The log is local, too. */

/** Formats an instant as `2026-11-21 01:01:07-03`, which `--since` accepts. */
export function localTime(ms: number): string {
  const at = new Date(ms);
  const date = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(twoDigits).join('-');
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(':');
  return `${date} ${time}${offsetFromUtc(ms)}`;
}

/** The offset of local time at an instant: `Z` for none, `-03`, `+05:30`. */
export function offsetFromUtc(ms: number): string {
  const minutes = -new Date(ms).getTimezoneOffset();
  if (minutes === 0) return 'Z';
  const hours = twoDigits(Math.floor(Math.abs(minutes) / 60));
  const rest = Math.abs(minutes) % 60;
  return `${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : `:${twoDigits(rest)}`}`;
}

const LOCAL_TIME = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?$/;

/** Whether a text is a date or a date and time without a zone. It may not exist. */
export function isLocalTime(text: string): boolean {
  return LOCAL_TIME.test(text);
}

/**
 * Reads a date or a date and time without a zone as local time.
 *
 * @returns milliseconds since 1970; null for another text, or a time that does not exist here
 */
export function readLocalTime(text: string): number | null {
  const found = LOCAL_TIME.exec(text);
  if (found === null) return null;
  const part = (at: number): number => Number(found[at] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const fraction = Number((found[7] ?? '0').padEnd(3, '0').slice(0, 3));
  const at = new Date(year, month - 1, day, hour, minute, second, fraction);
  // `Date` reads the years 0 to 99 as 1900 to 1999, and moves a time that the clock skips.
  const given = [year, month - 1, day, hour, minute, second];
  const read = [
    at.getFullYear(),
    at.getMonth(),
    at.getDate(),
    at.getHours(),
    at.getMinutes(),
    at.getSeconds(),
  ];
  return given.every((value, index) => value === read[index]) ? at.getTime() : null;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
