import { eventNumber } from '../../handle/fold/event-number.ts';
import type { LiveRow } from './recent-events.ts';

/** Events that are kept: those that may come while a page is being joined. */
const MAX_KEPT = 512;

/** An event of the store, by its id. */
export interface Place {
  readonly number: number;
  /** Empty before the first event. */
  readonly id: string;
}

/**
 * The events that this process knows of, in the order of their numbers. Events are numbered without holes, so
 * a hole is an event that another process has stored.
 */
export interface SeenEvents {
  /** The event up to which none is missing; null before the first `begin` or `add`. */
  settled(): Place | null;
  /** Says that everything up to here is in the store and was read. */
  begin(id: string | null): void;
  /** Adds an event. Returns false for a known one. */
  add(row: LiveRow): boolean;
  /** Whether events are missing before a known one. */
  hasHole(): boolean;
  /**
   * Says that events up to `id`, or up to the newest, are not awaited any more.
   *
   * @returns how many of them never came
   */
  settle(id?: string): number;
  /** Returns the kept events after a number, oldest first. */
  after(number: number): readonly LiveRow[];
  clear(): void;
}

export function createSeenEvents(): SeenEvents {
  const kept = new Map<number, LiveRow>();
  let settled: Place | null = null;
  let newest: Place = { number: 0, id: '' };

  function advance(): void {
    for (let next = kept.get((settled?.number ?? 0) + 1); next !== undefined;) {
      settled = placeOf(next.event.id);
      next = kept.get(settled.number + 1);
    }
  }

  return {
    settled: () => settled,
    begin(id) {
      settled ??= id === null ? { number: 0, id: '' } : placeOf(id);
      if (settled.number > newest.number) newest = settled;
      advance();
    },
    add(row) {
      const place = placeOf(row.event.id);
      if (kept.has(place.number) || place.number <= (settled?.number ?? 0)) return false;
      kept.set(place.number, row);
      if (place.number > newest.number) newest = place;
      for (const [number] of kept) {
        if (kept.size <= MAX_KEPT) break;
        kept.delete(number);
      }
      if (settled !== null) advance();
      return true;
    },
    hasHole: () => settled !== null && settled.number < newest.number,
    settle(id) {
      const place = id === undefined ? newest : placeOf(id);
      const from = settled?.number ?? 0;
      if (place.number <= from) return 0;
      const came = [...kept.keys()].filter((number) => number > from && number <= place.number).length;
      settled = place;
      if (place.number > newest.number) newest = place;
      advance();
      return place.number - from - came;
    },
    after: (number) =>
      [...kept]
        .filter(([each]) => each > number)
        .sort(([one], [other]) => one - other)
        .map(([, row]) => row),
    clear() {
      kept.clear();
      settled = null;
      newest = { number: 0, id: '' };
    },
  };
}

function placeOf(id: string): Place {
  return { number: eventNumber(id), id };
}
