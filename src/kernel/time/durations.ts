/** Units of time, and durations as people write them. */

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Milliseconds of a unit of time, by its letter. */
const UNIT_MS: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
};

/** Parses a duration such as `90s`, `1.5h` or `2w` to milliseconds; undefined for anything else. */
export function parseDuration(value: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?)([smhdw])$/.exec(value) ?? [];
  const ms = UNIT_MS[unit];
  return ms === undefined ? undefined : Math.round(Number(count) * ms);
}

/**
 * Parses a period for settings, in whole minutes, hours, days or weeks, such as `90m`, `12h`, `7d` or `2w`, to
 * milliseconds; undefined for anything else.
 */
export function parsePeriod(value: string): number | undefined {
  return /^\d+[mhdw]$/.test(value) ? parseDuration(value) : undefined;
}
