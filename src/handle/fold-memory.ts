import type { JsonValue } from '../kernel/json.ts';
import type { FoldAnomaly } from './fold.ts';

/** How things stood after so many events of a history. */
export interface FoldMark {
  readonly at: number;
  readonly state: JsonValue;
  /** How many anomalies there were by then. */
  readonly anomalies: number;
}

/** A history as it was folded, with marks along it; the last stands at its end. */
export interface FoldedHistory {
  readonly events: Float64Array;
  readonly marks: readonly FoldMark[];
  readonly anomalies: readonly FoldAnomaly[];
}

/**
 * Remembers the last long histories that were folded, so that the next late
 * event of a subject, or the next of its events that is replayed, need not fold
 * all of it once more. What is remembered is compared with the log each time:
 * a history that has changed is folded anew from where it differs.
 */
export interface FoldMemory {
  recall(key: string): FoldedHistory | undefined;
  remember(key: string, history: FoldedHistory): void;
}

/** Histories that are remembered: some megabytes at most. */
const MOST_HISTORIES = 8;
/** Shorter ones are folded in no time. */
const SHORTEST = 200;
/** Anomalies that one may have. */
const MOST_ANOMALIES = 10_000;

export function createFoldMemory(): FoldMemory {
  const histories = new Map<string, FoldedHistory>();
  return {
    recall(key) {
      const known = histories.get(key);
      if (known === undefined) return undefined;
      // The one that was asked for last is forgotten last.
      histories.delete(key);
      histories.set(key, known);
      return known;
    },
    remember(key, history) {
      histories.delete(key);
      if (history.events.length < SHORTEST || history.anomalies.length > MOST_ANOMALIES) return;
      histories.set(key, history);
      const [oldest] = histories.keys();
      if (histories.size > MOST_HISTORIES && oldest !== undefined) histories.delete(oldest);
    },
  };
}
