import { InvalidArgumentError } from 'commander';
import { normalizeInstant } from '../../contract/instant.ts';
import type { Clock } from '../../kernel/time/clock.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * Reads `--since` and `--until`: an ISO 8601 date or instant (without an
 * offset: UTC), or how long ago: `90s`, `15m`, `2h`, `3d`, `1w`.
 *
 * @returns milliseconds since 1970.
 */
export function momentParser(clock: Clock): (text: string) => number {
  return (text) => {
    const ago = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(text);
    if (ago !== null) return Math.round(clock.now() - Number(ago[1]) * UNIT_MS[ago[2]!]!);
    const iso = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text.replace(' ', 'T');
    const instant = normalizeInstant(iso);
    if (instant === null)
      throw new InvalidArgumentError(
        'Write an instant (2026-11-21, 2026-11-21T04:00:00Z) or how long ago (15m, 2h, 3d).',
      );
    return Date.parse(`${instant.slice(0, 23)}Z`);
  };
}
