/** Tracks how far a replay has come while its events end in any order. */
export interface Cursor {
  /** An event begins. Called in arrival order. */
  begin(id: string): void;
  /** An event has ended. */
  end(id: string, succeeded: boolean): void;
  /** The last event before which all have ended. */
  position(): Place;
  /** As {@link position}, but before the trailing failures. */
  beforeLastFailures(): Place;
}

export interface Place {
  /** The event; null before the first. */
  readonly at: string | null;
  /** Events up to there that failed in this run. A run that resumes there skips them. */
  readonly failed: readonly string[];
}

/** @param start the event at which an earlier run stopped */
export function createCursor(start: string | null): Cursor {
  /** Events in arrival order whose predecessors have not all ended, with their results. */
  const open = new Map<string, boolean | undefined>();
  const failed: string[] = [];
  let position = start;
  let lastSuccess = { at: start, failures: 0 };
  return {
    begin(id) {
      open.set(id, undefined);
    },
    end(id, succeeded) {
      open.set(id, succeeded);
      for (const [first, ended] of open) {
        if (ended === undefined) return;
        open.delete(first);
        position = first;
        if (ended) lastSuccess = { at: first, failures: failed.length };
        else failed.push(first);
      }
    },
    position: () => ({ at: position, failed: [...failed] }),
    beforeLastFailures: () => ({ at: lastSuccess.at, failed: failed.slice(0, lastSuccess.failures) }),
  };
}
