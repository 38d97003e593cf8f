/** Places the boxes of a diagram in their columns. */
import type { Slot } from './columns.ts';
import type { Order } from './order.ts';

/** Times that the slots are moved towards what they are joined to. */
const SWEEPS = 16;
/** A line that passes several columns shall be straight, more than a phase shall stand in the middle. */
const STRAIGHT = 6;

/**
 * Places the slots of each column: near what they are joined to, in their order, and never nearer to each other
 * than their heights and the gap allow.
 *
 * @returns the vertical middle of each slot
 */
export function placeSlots(
  slots: readonly Slot[],
  order: Order,
  heights: readonly number[],
  gap: (one: number, other: number) => number,
): readonly number[] {
  const middles = slots.map(() => 0);
  const distance = (one: number, other: number): number =>
    ((heights[one] ?? 0) + (heights[other] ?? 0)) / 2 + gap(one, other);
  for (const column of order) {
    let at = 0;
    for (const [index, slot] of column.entries()) {
      if (index > 0) at += distance(column[index - 1] ?? 0, slot);
      middles[slot] = at;
    }
  }

  const indexes = order.map((_, index) => index);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const sides: readonly ('previous' | 'next')[] =
      sweep >= SWEEPS - 2 ? ['previous', 'next'] : [sweep % 2 === 0 ? 'previous' : 'next'];
    for (const index of sweep % 2 === 0 ? indexes : indexes.toReversed()) {
      const column = order[index] ?? [];
      const wanted = column.map((slot) => wantedMiddle(slots, middles, slot, sides));
      const placed = spread(
        wanted,
        column.slice(1).map((slot, at) => distance(column[at] ?? 0, slot)),
      );
      for (const [at, slot] of column.entries()) middles[slot] = placed[at] ?? 0;
    }
  }
  return middles;
}

interface Wanted {
  readonly at: number;
  readonly weight: number;
}

function wantedMiddle(
  slots: readonly Slot[],
  middles: readonly number[],
  slot: number,
  sides: readonly ('previous' | 'next')[],
): Wanted {
  const own = slots[slot];
  let sum = 0;
  let weight = 0;
  for (const other of sides.flatMap((side) => own?.[side] ?? [])) {
    const pull = own?.phase === null && slots[other]?.phase === null ? STRAIGHT : 1;
    sum += pull * (middles[other] ?? 0);
    weight += pull;
  }
  return weight === 0 ? { at: middles[slot] ?? 0, weight: 0.1 } : { at: sum / weight, weight };
}

/**
 * Returns the places nearest to the wanted ones, by least squares, that keep the order and the distances: wanted
 * places that are too near to each other are pooled and share their mean.
 *
 * @param distances between each place and the next
 */
function spread(wanted: readonly Wanted[], distances: readonly number[]): readonly number[] {
  // Without the distances before them, places only need not to decrease.
  const offsets = [0];
  for (const each of distances) offsets.push((offsets.at(-1) ?? 0) + each);
  const pools: { sum: number; weight: number; count: number }[] = [];
  for (const [index, { at, weight }] of wanted.entries()) {
    let pool = { sum: (at - (offsets[index] ?? 0)) * weight, weight, count: 1 };
    for (let last = pools.at(-1); last !== undefined && meanOf(last) > meanOf(pool); last = pools.at(-1)) {
      pools.pop();
      pool = {
        sum: last.sum + pool.sum,
        weight: last.weight + pool.weight,
        count: last.count + pool.count,
      };
    }
    pools.push(pool);
  }
  const means = pools.flatMap((pool) => Array.from({ length: pool.count }, () => meanOf(pool)));
  return means.map((mean, index) => mean + (offsets[index] ?? 0));
}

function meanOf({ sum, weight }: { readonly sum: number; readonly weight: number }): number {
  return sum / weight;
}
