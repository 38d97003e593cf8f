import type { JsonValue } from '../../kernel/json/json.ts';
import type { FoldAnomaly } from './fold.ts';

/** The state after the first `at` events of a history. */
export interface FoldSnapshot {
  readonly at: number;
  readonly state: JsonValue;
  /** How many anomalies these events have. */
  readonly anomalies: number;
}

/** A history as it was folded, with snapshots in order; the last is of all events. */
export interface FoldedHistory {
  readonly events: Float64Array;
  readonly snapshots: readonly FoldSnapshot[];
  readonly anomalies: readonly FoldAnomaly[];
}

/**
 * Remembers the long histories that were folded last, so that the next late or
 * replayed event of a subject does not fold all of them again. Each use compares
 * the remembered events with the log, and folds anew from where they differ.
 */
export interface FoldMemory {
  recall(key: string): FoldedHistory | undefined;
  remember(key: string, history: FoldedHistory): void;
}

const MAX_HISTORIES = 8;
/** Events of the shortest history that is remembered: a shorter one is folded quickly. */
const MIN_EVENTS = 200;
const MAX_ANOMALIES = 10_000;

export function createFoldMemory(): FoldMemory {
  const histories = new Map<string, FoldedHistory>();
  return {
    recall(key) {
      const known = histories.get(key);
      if (known === undefined) return undefined;
      // The map is in order of use, and the history used longest ago is dropped.
      histories.delete(key);
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

/** Characters of JSON in the states of all snapshots of a history. */
const MAX_CHARACTERS = 1024 * 1024;
const MAX_SNAPSHOTS = 128;
/** Events between two snapshots, until there are too many of them. */
const MIN_DISTANCE = 50;

/** Snapshots of a fold under way. The longer the history, the greater the distance between them. */
export interface FoldSnapshots {
  /** Keeps the snapshot if it is far enough from the last one. */
  offer(snapshot: FoldSnapshot): void;
  /** All that were kept, and the one of the whole history. */
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

/** What a remembered fold saves when an event has joined its history. */
export interface SavedFolding {
  /** The last snapshot before the event: the fold starts from it. */
  readonly start: FoldSnapshot | undefined;
  /** The snapshot of the same events without the one that joined, if there is one at a place behind it. */
  snapshotAt(place: number): FoldSnapshot | undefined;
  /** The last such snapshot: a fold that reaches the state of another one may continue from here. */
  readonly last: FoldSnapshot | undefined;
  /** Places of the new history less those of the remembered one, behind the event. */
  readonly shift: number;
}

/** @param place of the event in `events`; it may be in the remembered history, too */
export function savedFolding(known: FoldedHistory, events: Float64Array, place: number): SavedFolding {
  const same = commonLength(known.events, 0, events, 0);
  const start = known.snapshots.findLast(({ at }) => at <= Math.min(same, place));
  const behind = known.events[place] === events[place] ? place + 1 : place;
  const matching = same < place ? 0 : commonLength(known.events, behind, events, place + 1);
  const usable = known.snapshots.filter(({ at }) => at > behind && at <= behind + matching);
  const shift = place + 1 - behind;
  const byPlace = new Map(usable.map((snapshot) => [snapshot.at + shift, snapshot]));
  return { start, snapshotAt: (at) => byPlace.get(at), last: usable.at(-1), shift };
}

/** How many numbers are equal from these places on. */
function commonLength(one: Float64Array, oneFrom: number, other: Float64Array, otherFrom: number): number {
  const most = Math.max(0, Math.min(one.length - oneFrom, other.length - otherFrom));
  let length = 0;
  while (length < most && one[oneFrom + length] === other[otherFrom + length]) length += 1;
  return length;
}
