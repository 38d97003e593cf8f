/** The position from which an interrupted replay resumes. */
import type { SentEvents } from '../store/replays.ts';

/** Tracks how far a replay has come while its events end in any order. */
export interface Cursor {
  /** An event begins. Called in arrival order. */
  begin(id: string): void;
  /** An event has ended. */
  end(id: string, how: Ending): void;
  /** The last event before which all have ended. */
  position(): Place;
  /** As {@link position}, but before the trailing failures. */
  beforeLastFailures(): Place;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** How an event has ended. `skipped` has no body to send: sending it again is useless. */
export type Ending = keyof SentEvents;

export interface Place {
  /** The event; null before the first. */
  readonly at: string | null;
  /** Events up to `at` that failed in this run. A run that resumes at `at` skips them. */
  readonly failed: readonly string[];
  /** Events up to `at` that this run has ended, by their outcome. */
  readonly sent: SentEvents;
}

/** @param start the event at which an earlier run stopped */
export function createCursor(start: string | null): Cursor {
  /** Events in arrival order whose predecessors have not all ended, with their results. */
  const open = new Map<string, Ending | undefined>();
  const failed: string[] = [];
  let position = start;
  const sent: Mutable<SentEvents> = { succeeded: 0, dead: 0, skipped: 0 };
  let lastSuccess = { at: start, failures: 0, sent: { ...sent } };
  return {
    begin(id) {
      open.set(id, undefined);
    },
    end(id, how) {
      open.set(id, how);
      for (const [first, ended] of open) {
        if (ended === undefined) return;
        open.delete(first);
        position = first;
        sent[ended] += 1;
        if (ended === 'dead') failed.push(first);
        else lastSuccess = { at: first, failures: failed.length, sent: { ...sent } };
      }
    },
    position: () => ({ at: position, failed: [...failed], sent: { ...sent } }),
    beforeLastFailures: () => ({
      at: lastSuccess.at,
      failed: failed.slice(0, lastSuccess.failures),
      sent: lastSuccess.sent,
    }),
  };
}
