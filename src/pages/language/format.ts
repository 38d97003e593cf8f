/** Formats values for the language of a page. */
import { MINUTE_MS } from '../../kernel/time/durations.ts';
import type { Language } from './languages.ts';

/** Numbers, sizes and times as a language writes them, by Intl. */
export interface Format {
  /** `12,345`, or `10,000+` when there are more than were counted. */
  number(value: number, more?: boolean): string;
  /** `1.4 MB` */
  bytes(value: number): string;
  /** `22 Nov 2026, 13:02:41` in the time zone of the server. */
  instant(iso: string): string;
  /** `22 Nov 2026, 13:02:41.250`: with milliseconds, where several rows share a second. */
  exactInstant(iso: string): string;
  /** The time zone of the server, by its name. */
  readonly zone: string;
  /** Its offset now: `GMT-3`. */
  offset(): string;
  /** `3 min ago`, of an instant before now, or `in 3 min`; below ten hours with minutes: `1 hr 58 min ago`. */
  relative(iso: string, now: number): string;
  /** `1.4 s`, of milliseconds; from a minute on its two largest units: `3 min 20 s`. */
  duration(ms: number): string;
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

const DURATIONS = [...UNITS, ['millisecond', 1]] as const;

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

const formats = new Map<Language, Format>();

/** Returns the formats of a language. They are created once, because Intl objects are expensive. */
export function formatOf(language: Language): Format {
  let format = formats.get(language);
  if (format === undefined) {
    format = createFormat(language);
    formats.set(language, format);
  }
  return format;
}

function createFormat(language: Language): Format {
  const number = new Intl.NumberFormat(language);
  const instant = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
  const exact = new Intl.DateTimeFormat(language, {
    ...{ year: 'numeric', month: 'short', day: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
  });
  const offset = new Intl.DateTimeFormat(language, { timeZoneName: 'shortOffset' });
  const durations = DURATIONS.map(([unit, size]) => ({
    size,
    number: new Intl.NumberFormat(language, {
      style: 'unit',
      unit,
      unitDisplay: 'short',
      maximumSignificantDigits: 2,
    }),
  }));
  const relative = new Intl.RelativeTimeFormat(language, { style: 'short', numeric: 'auto' });
  const sizes = SIZES.map(
    (unit) =>
      new Intl.NumberFormat(language, {
        style: 'unit',
        unit,
        unitDisplay: unit === 'byte' ? 'long' : 'short',
        maximumFractionDigits: unit === 'byte' ? 0 : 1,
      }),
  );

  function duration(ms: number): string {
    const [found, next] = durations.slice(durations.findIndex(({ size }) => ms >= size));
    if (found === undefined) return '';
    const rest = ms % found.size;
    if (next === undefined || found.size < MINUTE_MS || rest < next.size)
      return found.number.format(ms / found.size);
    return `${found.number.format(Math.floor(ms / found.size))} ${next.number.format(Math.floor(rest / next.size))}`;
  }

  return {
    number: (value, more = false) => `${number.format(value)}${more ? '+' : ''}`,
    bytes(value) {
      const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), SIZES.length - 1);
      return sizes[power]?.format(value / 1000 ** power) ?? '';
    },
    instant: (iso) => instant.format(new Date(iso)),
    exactInstant: (iso) => exact.format(new Date(iso)),
    zone: offset.resolvedOptions().timeZone,
    offset: () => offset.formatToParts().find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT',
    relative(iso, now) {
      const ms = Date.parse(iso) - now;
      const [unit, size] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? UNITS[3];
      // Abbreviations of Portuguese end with a point, which would be the second one of a sentence.
      const text = relative.format(Math.trunc(ms / size), unit).replace(/\.$/u, '');
      const isLong = unit === 'hour' && Math.abs(ms) < 10 * size;
      return isLong ? text.replace(/\d \p{L}+\.?/u, duration(Math.abs(ms))) : text;
    },
    duration,
  };
}
