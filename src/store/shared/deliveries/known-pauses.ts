/** Which deliveries are paused, by the pauses that a process keeps in memory. */
import { createPauseLookup, type Pause, type PauseLookup } from '../../pauses.ts';
import { laneKey, type LaneKey } from './lane-key.ts';

/** What tells whether a delivery is paused. */
export interface PausableDelivery extends LaneKey {
  readonly event_id: number;
}

/** Whose event a delivery has. */
export interface EventName {
  readonly source: string;
  readonly subject: { readonly family: string; readonly id: string };
}

/** The pauses in memory. A store reads them again when they have changed, and looks up names for them. */
export interface KnownPauses {
  use(pauses: readonly Pause[]): void;
  /** Leaves out pauses whose end has passed: they cover nothing, whether or not a claim has removed them. */
  dropEnded(now: number): void;
  /** When the first pause ends by itself; `Infinity` when none does. */
  nextEnd(): number;
  isEmpty(): boolean;
  /** The handlers without those that are paused as a whole. */
  admitted(handlers: readonly string[]): readonly string[];
  /** Whether a delivery is paused; undefined when the name of its event decides. */
  covers(delivery: LaneKey): boolean | undefined;
  /** As `covers`, by the name of its event, which it remembers for the lane; undefined for an event that is missing. */
  coversNamed(delivery: LaneKey, name: EventName | undefined): boolean;
}

/** Lanes for which it is remembered whether they are paused. */
const MAX_REMEMBERED = 20_000;

export function createKnownPauses(): KnownPauses {
  let pauses: readonly Pause[] = [];
  let lookup: PauseLookup = createPauseLookup([]);
  let nextEnd = Infinity;
  /** By lane, of lanes by subject only: whether it is paused since the last change. */
  let remembered = new Map<string, boolean>();

  function use(all: readonly Pause[]): void {
    pauses = all;
    lookup = createPauseLookup(all);
    nextEnd = Math.min(...all.map(({ until }) => until ?? Infinity), Infinity);
    remembered = new Map();
  }

  return {
    use,
    dropEnded(now) {
      if (now >= nextEnd) use(pauses.filter(({ until }) => until === null || until > now));
    },
    nextEnd: () => nextEnd,
    isEmpty: () => pauses.length === 0,
    admitted: (handlers) =>
      pauses.length === 0 ? handlers : handlers.filter((handler) => lookup.ofHandler(handler) === undefined),
    covers({ handler, lane }) {
      if (lookup.ofHandler(handler) !== undefined) return true;
      if (!lookup.isPartial(handler)) return false;
      return lane > 0 ? remembered.get(laneKey(handler, lane)) : undefined;
    },
    coversNamed({ handler, lane }, name) {
      const covered = name !== undefined && lookup.of({ handler, ...name }) !== undefined;
      if (lane <= 0) return covered;
      if (remembered.size >= MAX_REMEMBERED) remembered = new Map();
      remembered.set(laneKey(handler, lane), covered);
      return covered;
    },
  };
}
