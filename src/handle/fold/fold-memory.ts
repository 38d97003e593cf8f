/** Keeps folded histories in memory, with snapshots of long ones. */
import type { JsonValue } from '../../kernel/json/json.ts';
import type { FoldAnomaly } from './fold.ts';

/** The state after the first `at` events of a history. */
export interface FoldSnapshot {
  readonly at: number;
  readonly state: JsonValue;
  /** The number of anomalies of these events. */
  readonly anomalies: number;
}

/** A history as it was folded. Snapshots are in order; the last one covers all events. */
export interface FoldedHistory {
  /** The numbers of the events, in version order. */
  readonly events: Float64Array;
  /** How often an event of the subject had been erased. */
  readonly erased: number;
  readonly snapshots: readonly FoldSnapshot[];
  readonly anomalies: readonly FoldAnomaly[];
}

/**
 * A cache of the long histories that were folded last, so that the next
 * late or replayed event of a subject does not fold the whole history again. Each
 * use compares the cached events with the log, and folds from the first difference.
 */
export interface FoldMemory {
  /** Forgets a history when an event of its subject was erased since: its states hold the erased data. */
  recall(key: string, erased: number): FoldedHistory | undefined;
  remember(key: string, history: FoldedHistory): void;
}

const MAX_HISTORIES = 8;
/** Shorter histories are not cached: folding them is fast. */
const MIN_EVENTS = 200;
/** Histories with more anomalies are not cached. */
const MAX_ANOMALIES = 10_000;

export function createFoldMemory(): FoldMemory {
  const histories = new Map<string, FoldedHistory>();
  return {
    recall(key, erased) {
      const known = histories.get(key);
      if (known === undefined) return undefined;
      // Move the entry to the end: the map is in order of use, oldest first.
      histories.delete(key);
      if (known.erased !== erased) return undefined;
      histories.set(key, known);
      return known;
    },
    remember(key, history) {
      histories.delete(key);
      if (history.events.length < MIN_EVENTS || history.anomalies.length > MAX_ANOMALIES) return;
      histories.set(key, history);
      const [oldest] = histories.keys();
      if (histories.size > MAX_HISTORIES && oldest !== undefined) histories.delete(oldest);
    },
  };
}

/** Characters of JSON in the states of a history's snapshots. */
const MAX_CHARACTERS = 1024 * 1024;
const MAX_SNAPSHOTS = 128;
/** Events between two snapshots. The distance doubles when a history has too many of them. */
const MIN_DISTANCE = 50;

/** Collects the snapshots of a fold in progress. */
export interface FoldSnapshots {
  /** Keeps the snapshot if it is far enough from the last one. */
  offer(snapshot: FoldSnapshot): void;
  /** Returns the kept snapshots, followed by the one of the whole history. */
  end(whole: FoldSnapshot): readonly FoldSnapshot[];
}

export function collectSnapshots(): FoldSnapshots {
  let kept: { readonly snapshot: FoldSnapshot; readonly characters: number }[] = [];
  let characters = 0;
  let distance = MIN_DISTANCE;

  function dropEverySecond(): void {
    distance *= 2;
    kept = kept.filter((_, index) => index % 2 === 1);
    characters = kept.reduce((sum, one) => sum + one.characters, 0);
  }

  return {
    offer(snapshot) {
      if (snapshot.at < (kept.at(-1)?.snapshot.at ?? 0) + distance) return;
      const added = JSON.stringify(snapshot.state).length;
      kept.push({ snapshot, characters: added });
      characters += added;
      while (kept.length > 0 && (kept.length > MAX_SNAPSHOTS || characters > MAX_CHARACTERS))
        dropEverySecond();
    },
    end: (whole) => [...kept.map(({ snapshot }) => snapshot).filter(({ at }) => at < whole.at), whole],
  };
}

/** The parts of a cached fold that a refold can reuse after an event joined the history. */
export interface ReusableFold {
  /** The last snapshot before the event. The refold starts from it. */
  readonly start: FoldSnapshot | undefined;
  /** Returns the cached snapshot of the same events without the new one, for an index after it. */
  snapshotAt(index: number): FoldSnapshot | undefined;
  /** The last of these snapshots. A refold whose state equals an earlier one may skip to it. */
  readonly last: FoldSnapshot | undefined;
  /** After the event, the difference between an index in the new history and in the cached one: 1, or 0 if the event is cached. */
  readonly shift: number;
}

/**
 * Compares a cached history with the current one.
 *
 * @param events the numbers of the current history, in version order
 * @param index the event's index in `events`; the cached history may contain the event too
 */
export function reusableFold(known: FoldedHistory, events: Float64Array, index: number): ReusableFold {
  const same = commonLength(known.events, 0, events, 0);
  const start = known.snapshots.findLast(({ at }) => at <= Math.min(same, index));
  const behind = known.events[index] === events[index] ? index + 1 : index;
  const matching = same < index ? 0 : commonLength(known.events, behind, events, index + 1);
  const usable = known.snapshots.filter(({ at }) => at > behind && at <= behind + matching);
  const shift = index + 1 - behind;
  const byIndex = new Map(usable.map((snapshot) => [snapshot.at + shift, snapshot]));
  return { start, snapshotAt: (at) => byIndex.get(at), last: usable.at(-1), shift };
}

/** Counts the equal numbers from two indexes on. */
function commonLength(one: Float64Array, oneFrom: number, other: Float64Array, otherFrom: number): number {
  const max = Math.max(0, Math.min(one.length - oneFrom, other.length - otherFrom));
  let length = 0;
  while (length < max && one[oneFrom + length] === other[otherFrom + length]) length += 1;
  return length;
}
