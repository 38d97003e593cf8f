/** Remembers the latest events, so that none is missed while a page joins. */
import { eventNumber } from '../../handle/fold/event-number.ts';
import type { LiveRow } from './recent-events.ts';

/** Events that are kept: those that may come while a page is being joined. */
const MAX_KEPT = 512;

/** An event of the store. */
interface Place {
  readonly number: number;
  /** Empty before the first event. */
  readonly id: string;
}

/** An event that is kept. */
interface Kept extends Place {
  readonly row: LiveRow;
}

/**
 * The events that this process knows of, in the order of their numbers. A hole is an event that another process has
 * stored or is about to store, or, in PostgreSQL, a number that no event has.
 */
export interface SeenEvents {
  /** The event up to which none is missing; null before the first `begin`. */
  settled(): Place | null;
  /** Says that everything up to here is in the store and was read. Null: the store is empty. */
  begin(id: string | null): void;
  /** Adds an event. Returns false for a known one. */
  add(row: LiveRow): boolean;
  /** Whether events are missing before a known one. */
  hasHole(): boolean;
  /**
   * Says that all events up to `id` were read; or, without one, that those up to the newest are not awaited any more.
   *
   * @returns how many numbers up to there never came
   */
  settle(id?: string): number;
  /** Returns the kept events after a number, oldest first. */
  after(number: number): readonly LiveRow[];
  clear(): void;
}

const START: Place = { number: 0, id: '' };

export function createSeenEvents(): SeenEvents {
  // A ring: a map that loses its oldest entry at each addition is slow in V8.
  const ring: (Kept | undefined)[] = Array.from({ length: MAX_KEPT });
  let settled: Place | null = null;
  let newest = START;

  function find(number: number): Kept | undefined {
    const kept = ring[number % MAX_KEPT];
    return kept?.number === number ? kept : undefined;
  }

  function settleAt(place: Place): void {
    settled = place;
    for (let next = find(place.number + 1); next !== undefined; next = find(next.number + 1)) settled = next;
    if (settled.number > newest.number) newest = settled;
  }

  function keptAfter(number: number): readonly Kept[] {
    return ring.filter((kept) => kept !== undefined && kept.number > number) as readonly Kept[];
  }

  return {
    settled: () => settled,
    begin(id) {
      if (settled === null) settleAt(id === null ? START : { number: eventNumber(id), id });
    },
    add(row) {
      const { id } = row.event;
      const number = eventNumber(id);
      if (find(number) !== undefined || number <= (settled?.number ?? 0)) return false;
      const kept = { number, id, row };
      ring[number % MAX_KEPT] = kept;
      if (number > newest.number) newest = kept;
      if (number === (settled?.number ?? Number.NaN) + 1) settleAt(kept);
      return true;
    },
    hasHole: () => settled !== null && settled.number < newest.number,
    settle(id) {
      const place = id === undefined ? newest : { number: eventNumber(id), id };
      const from = settled?.number ?? 0;
      if (place.number <= from) return 0;
      const came = keptAfter(from).filter(({ number }) => number <= place.number).length;
      settleAt(place);
      return place.number - from - came;
    },
    after: (number) =>
      keptAfter(number)
        .toSorted((one, other) => one.number - other.number)
        .map(({ row }) => row),
    clear() {
      ring.fill(undefined);
      settled = null;
      newest = START;
    },
  };
}
