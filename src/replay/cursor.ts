/** How far a replay has come, while its events end in any order. */
export interface Cursor {
  /** An event is begun; in arrival order. */
  take(id: string): void;
  /** It ended. */
  settle(id: string, well: boolean): void;
  /** The last event before which nothing is open. */
  settled(): Place;
  /** As {@link settled}, without the failures at the end. */
  beforeLastFailures(): Place;
}

export interface Place {
  /** The event; null before the first. */
  readonly at: string | null;
  /** The events up to there that failed since the start: whoever goes on from there leaves them out. */
  readonly failed: readonly string[];
}

/** @param start where an earlier run stopped. */
export function createCursor(start: string | null): Cursor {
  /** Those begun, oldest first, until all before them have ended. */
  const open = new Map<string, boolean | undefined>();
  const failed: string[] = [];
  let settled = start;
  let good = { at: start, failures: 0 };
  return {
    take(id) {
      open.set(id, undefined);
    },
    settle(id, well) {
      open.set(id, well);
      for (const [first, ended] of open) {
        if (ended === undefined) return;
        open.delete(first);
        settled = first;
        if (ended) good = { at: first, failures: failed.length };
        else failed.push(first);
      }
    },
    settled: () => ({ at: settled, failed: [...failed] }),
    beforeLastFailures: () => ({ at: good.at, failed: failed.slice(0, good.failures) }),
  };
}
