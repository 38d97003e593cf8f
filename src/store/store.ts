import type { Ambiguities } from './ambiguities.ts';
import type { Inbox } from './inbox.ts';
import type { LaneQueue } from './lane-queue.ts';
import type { MachineStates } from './machine-states.ts';
import type { Queries } from './queries.ts';
import type { Replays } from './replays.ts';

/**
 * What a process may do with a store.
 *
 * - `owner`: dispatches; only one at a time, a second is refused.
 * - `guest`: reads and enqueues beside an owner (the CLI).
 */
export type StoreRole = 'owner' | 'guest';

/** One line of `doctor`. */
export interface StoreCheck {
  readonly name: string;
  readonly ok: boolean;
  /** What was found, and when not ok, what to do. */
  readonly detail: string;
}

/** Everything durable. One conformance suite (`test/conformance`) holds for every implementation. */
export interface Store extends Inbox, LaneQueue, Ambiguities, MachineStates, Queries, Replays {
  /** Where it lies, for people. */
  readonly location: string;
  /** Six characters, drawn when the store was made: the first part of every event id. */
  readonly storeId: string;
  /**
   * Whether writes are believed to work. False after one failed on the disk;
   * true again after a commit, which asking brings about once the disk allows.
   * After an I/O error it stays false: the file must be opened anew.
   */
  healthy(): boolean;
  checks(): Promise<readonly StoreCheck[]>;
  /** Commits what waits, and lets go of files and locks. */
  close(): Promise<void>;
}
