/** Replays as a store keeps them, and the events that they select. */
import type { Verdict } from '../event/stored-event.ts';
import type { EventFilter } from './queries.ts';
import type { Route } from './route.ts';

/** The deliveries that a replay requests for a handler. */
export interface ReplayDeliveries {
  readonly route: Route;
  /** The numbers that the event ids end in. */
  readonly events: readonly number[];
}

export type ReplayStatus = 'running' | 'finished';

/** A stored replay, which can be resumed where it stopped. */
export interface ReplayRecord {
  /** `r` and a number. */
  readonly id: string;
  readonly createdAt: number;
  readonly filter: EventFilter;
  readonly handlers: readonly string[];
  readonly ifNotSucceeded: boolean;
  /** The URL that receives the events instead of handlers. */
  readonly target: string | null;
  readonly status: ReplayStatus;
  /** The id of the last event planned or sent; null before the first. */
  readonly cursor: string | null;
}

/** A replay that an operator asks for. */
export type NewReplay = Pick<ReplayRecord, 'filter' | 'handlers' | 'ifNotSucceeded' | 'target'>;

export interface ReplayProgress {
  readonly pending: number;
  readonly running: number;
  readonly succeeded: number;
  readonly dead: number;
  readonly skipped: number;
}

/** Events that a replay to a URL has ended, in addition to those reported before. Negative to take a report back. */
export type SentEvents = Pick<ReplayProgress, 'succeeded' | 'dead' | 'skipped'>;

/** Selects the events of a replay, and the facts of their deliveries to read. */
export interface ReplaySelection {
  readonly filter: EventFilter;
  /** The handlers whose succeeded deliveries to read. */
  readonly succeeded: readonly string[];
  /** The handlers whose deliveries in the filter's status to read. */
  readonly inStatus: readonly string[];
}

/** The facts of an event that decide which handlers get it again. */
export interface ReplayTraits {
  readonly kind: string;
  readonly recognized: boolean;
  readonly verdict: Verdict;
  /** The requested handlers with a succeeded delivery. */
  readonly succeeded: readonly string[];
  /** The requested handlers with a delivery in the filter's status. */
  readonly inStatus: readonly string[];
}

/** Events of a page with the same traits. */
export interface ReplayEvents {
  readonly traits: ReplayTraits;
  /** The numbers that the event ids end in, in arrival order. */
  readonly events: readonly number[];
}

/** The number of events with the same traits. */
export interface ReplayEventGroup extends ReplayTraits {
  readonly events: number;
  /**
   * For each requested delivery name (`<machine>/effects`), in that order: the
   * number of effects that these events caused, and how many succeeded. Replays
   * of an effect count once.
   */
  readonly effects: readonly { readonly delivered: number; readonly succeeded: number }[];
}

/** Stores replays, which deliver events again without deduplication. */
export interface Replays {
  createReplay(replay: NewReplay, now: number): Promise<ReplayRecord>;
  replay(id: string): Promise<ReplayRecord | null>;
  replays(limit: number): Promise<readonly ReplayRecord[]>;

  /**
   * Stores the deliveries at the end of their lanes, in the order in which the
   * events arrived, and sets the replay's cursor to an event id or number, in one
   * transaction. A replay to a URL has no deliveries; it reports what it has sent.
   */
  enqueueReplay(
    id: string,
    deliveries: readonly ReplayDeliveries[],
    options: { readonly cursor: string; readonly now: number; readonly sent?: SentEvents },
  ): Promise<void>;
  finishReplay(id: string): Promise<void>;
  /** Counts the replay's deliveries by status; for a replay to a URL, the events that it has sent. */
  replayProgress(id: string): Promise<ReplayProgress>;

  /** Returns the oldest events of a selection after one, or of all. */
  replayEvents(
    selection: ReplaySelection,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<readonly ReplayEvents[]>;

  /** Counts the events of a selection after one, or of all. */
  countReplayEvents(
    selection: ReplaySelection & { readonly after: string | null; readonly effects: readonly string[] },
  ): Promise<{
    readonly groups: readonly ReplayEventGroup[];
    readonly subjects: number;
    /** Matching events without a body, which are left out. */
    readonly pruned: number;
  }>;
}
