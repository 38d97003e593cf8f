/** Times and durations for people. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time/durations.ts';

/** Formats a time and how long ago it was: `2026-11-21 04:00:00Z (3 h 12 min)`. */
export function ageText(at: number, now: number): string {
  return `${secondText(at)} (${durationText(Math.max(0, now - at))})`;
}

/** Formats a time as `2026-11-21 04:00:00Z`. */
export function secondText(at: number): string {
  const iso = new Date(at).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)}Z`;
}

/** Formats milliseconds in their two largest units: `3 d 4 h`, `3 h 12 min`, `12 min`. */
export function durationText(ms: number): string {
  const [days, hours, minutes] = [
    Math.floor(ms / DAY_MS),
    Math.floor((ms % DAY_MS) / HOUR_MS),
    Math.floor((ms % HOUR_MS) / MINUTE_MS),
  ];
  const parts = [
    [days, 'd'],
    [hours, 'h'],
    [minutes, 'min'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 min';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${String(count)} ${unit}`)
    .join(' ');
}
