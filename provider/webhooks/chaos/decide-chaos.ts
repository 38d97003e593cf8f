/** Decides what chaos does to a delivery, and when the API is away. */
import { keyedRandom } from '../../keyed-random.ts';
import type { RepeatKind } from '../webhook-tables.ts';
import type { ChaosEffect, ChaosRates } from './chaos-rates.ts';

/** What chaos does to one delivery. */
export interface Fate {
  /** Never sent. */
  readonly lost: boolean;
  /** Delays the first attempt by `ms`. `drops` counts as a failed attempt. */
  readonly held: { readonly by: 'drops' | 'delay' | 'reorder'; readonly ms: number } | null;
  /** The fraction of the body that the first attempt sends, from 0 to less than 1. */
  readonly truncatedTo: number | null;
  /** Milliseconds that the lane pauses before it. */
  readonly burstMs: number | null;
  /** Sent again this long after the delivery. */
  readonly repeats: readonly { readonly kind: RepeatKind; readonly afterMs: number }[];
}

/** Minimum and maximum duration of each effect, in milliseconds. */
const durations = {
  reorder: [50, 1_000],
  delay: [1_000, 30_000],
  drops: [1_000, 5_000],
  duplicates: [0, 2_000],
  resign: [0, 2_000],
  bursts: [500, 2_000],
} as const;

/** Milliseconds after which a truncated webhook is sent whole. */
export const WHOLE_AFTER_MS = 1_000;

/**
 * Decides what happens to a delivery. The result depends on the seed and the id only,
 * not on order or restarts. Each effect is decided independently: changing the rate of
 * one does not change the others.
 */
export function decideChaos(rates: ChaosRates, seed: number, deliveryId: number): Fate {
  const happens = (effect: ChaosEffect): number | null => {
    if (rates[effect] === 0) return null;
    const random = keyedRandom(seed, `${effect}:${String(deliveryId)}`);
    return random() < rates[effect] ? random() : null;
  };
  const lasts = (effect: keyof typeof durations): number | null => {
    const share = happens(effect);
    if (share === null) return null;
    const [shortest, longest] = durations[effect];
    return Math.floor(shortest + share * (longest - shortest));
  };
  const repeated = (effect: 'duplicates' | 'resign', kind: RepeatKind) => {
    const afterMs = lasts(effect);
    return afterMs === null ? [] : [{ kind, afterMs }];
  };
  // Only the longest of these delays applies.
  const by = (['delay', 'drops', 'reorder'] as const).find((effect) => happens(effect) !== null);
  return {
    lost: happens('losses') !== null,
    held: by === undefined ? null : { by, ms: lasts(by) ?? 0 },
    truncatedTo: happens('truncation'),
    burstMs: lasts('bursts'),
    repeats: [...repeated('duplicates', 'duplicate'), ...repeated('resign', 'resigned')],
  };
}

const MINUTE_MS = 60_000;

/**
 * Decides by the seed and the minute alone whether the API is away.
 *
 * @param now milliseconds since 1970
 * @returns the seconds until the next minute; null while the API is there
 */
export function awaySeconds(
  { rates: { away }, seed }: { readonly rates: ChaosRates; readonly seed: number },
  now: number,
): number | null {
  const minute = Math.floor(now / MINUTE_MS);
  if (keyedRandom(seed, `away:${String(minute)}`)() >= away) return null;
  return Math.ceil(((minute + 1) * MINUTE_MS - now) / 1_000);
}
