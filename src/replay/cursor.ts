/** How far a replay has come, while its events end in any order. */
export interface Cursor {
  /** An event is begun; in arrival order. */
  take(id: string): void;
  /** It ended. */
  settle(id: string, well: boolean): void;
  /** The last event before which nothing is open. */
  settled(): string | null;
  /** As {@link settled}, without the failures at the end. */
  beforeLastFailures(): string | null;
}

/** @param start where an earlier run stopped. */
export function createCursor(start: string | null): Cursor {
  /** Those begun, oldest first, until all before them have ended. */
  const open = new Map<string, boolean | undefined>();
  let settled = start;
  let good = start;
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
        if (ended) good = first;
      }
    },
    settled: () => settled,
    beforeLastFailures: () => good,
  };
}
