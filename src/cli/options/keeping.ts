import { InvalidArgumentError } from 'commander';

const UNIT_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * Reads for how long something is kept: `90m`, `12h`, `7d`, `2w`, or `forever`.
 *
 * @returns milliseconds; null for ever.
 */
export function parseKeeping(text: string): number | null {
  if (text === 'forever') return null;
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const ms = UNIT_MS[unit];
  if (ms === undefined) throw new InvalidArgumentError('Write how long, as in 12h, 7d or 2w, or forever.');
  return Number(count) * ms;
}
