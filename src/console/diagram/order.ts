/** Orders the slots in the columns of a diagram. */
import type { Columns, Slot } from './columns.ts';

/** The slots of each column, from top to bottom. */
export type Order = readonly (readonly number[])[];

/** Times that the columns are sorted, from left to right and back. */
const SWEEPS = 12;

/**
 * Orders the slots of each column so that few lines cross: each column by the mean place of what its slots are
 * joined to in the column beside it, to and fro; the best order found counts.
 */
export function orderColumns({ slots, count }: Columns): Order {
  const start: number[][] = Array.from({ length: count }, () => []);
  for (const [index, { column }] of slots.entries()) start[column]?.push(index);
  let order = start;
  let best: Order = order;
  let fewest = crossings(slots, order);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep += 1) {
    order = sorted(slots, order, sweep % 2 === 0 ? 'previous' : 'next');
    const found = crossings(slots, order);
    if (found >= fewest) continue;
    fewest = found;
    best = order;
  }
  return best;
}

function sorted(slots: readonly Slot[], order: Order, side: 'previous' | 'next'): number[][] {
  const result = order.map((column) => [...column]);
  const place = new Map<number, number>();
  const note = (column: readonly number[]): void => {
    for (const [at, slot] of column.entries()) place.set(slot, at);
  };
  const indexes = result.map((_, index) => index);
  for (const index of side === 'previous' ? indexes : indexes.toReversed()) {
    const column = result[index] ?? [];
    note(column);
    const key = new Map(
      column.map((slot, at) => {
        const joined = (slots[slot]?.[side] ?? []).map((other) => place.get(other) ?? 0);
        return [slot, joined.length === 0 ? at : joined.reduce((sum, each) => sum + each, 0) / joined.length];
      }),
    );
    // The sort is stable: slots without a preference among each other keep their order.
    column.sort((one, other) => (key.get(one) ?? 0) - (key.get(other) ?? 0));
    note(column);
  }
  return result;
}

/** Counts the pairs of lines between neighbouring columns that cross. */
export function crossings(slots: readonly Slot[], order: Order): number {
  let found = 0;
  for (const [index, column] of order.entries()) {
    const places = new Map((order[index + 1] ?? []).map((slot, at) => [slot, at]));
    const ends = column.flatMap((slot) =>
      (slots[slot]?.next ?? []).map((other) => places.get(other) ?? 0).toSorted((a, b) => a - b),
    );
    for (const [at, end] of ends.entries())
      for (const later of ends.slice(at + 1)) if (later < end) found += 1;
  }
  return found;
}
