import type { Verdict } from '../event/stored-event.ts';
import type { EventFilter } from './queries.ts';
import type { Route } from './route.ts';

/** One delivery a replay wants: an event for a handler. */
export interface ReplayDelivery {
  readonly eventId: string;
  readonly route: Route;
}

export type ReplayStatus = 'running' | 'finished';

/** A replay as stored, so that it can be resumed where it stopped. */
export interface ReplayRecord {
  /** `r` and a number. */
  readonly id: string;
  readonly createdAt: number;
  readonly filter: EventFilter;
  readonly handlers: readonly string[];
  readonly ifNotSucceeded: boolean;
  /** Where it sends the events instead of to handlers. */
  readonly target: string | null;
  readonly status: ReplayStatus;
  /** The last event that was planned or sent; null before the first. */
  readonly cursor: string | null;
}

export interface ReplayProgress {
  readonly pending: number;
  readonly running: number;
  readonly succeeded: number;
  readonly dead: number;
  readonly skipped: number;
}

/** Which events a replay is about, and what it has to know of their deliveries. */
export interface ReplaySelection {
  readonly filter: EventFilter;
  /** Those stored after this one; all when null. */
  readonly after: string | null;
  /** Delivery names of whom it must be known what they finished well. */
  readonly succeeded: readonly string[];
  /** Delivery names of whom it must be known whether they have a delivery in the filter's status. */
  readonly inStatus: readonly string[];
}

/** What decides who gets an event again. */
export interface ReplayTraits {
  readonly kind: string;
  readonly recognized: boolean;
  readonly verdict: Verdict;
  /** Those that were asked about and have a delivery of it that succeeded. */
  readonly succeeded: readonly string[];
  /** Those that were asked about and have a delivery of it in the filter's status. */
  readonly inStatus: readonly string[];
}

export interface ReplayEvent {
  readonly id: string;
  /** One object for all events of a page that nothing tells apart. */
  readonly traits: ReplayTraits;
}

/** Events that nothing tells apart for a replay. */
export interface ReplayEventGroup extends ReplayTraits {
  readonly events: number;
  /**
   * By delivery name (`<machine>/effects`), in the order asked for: how many
   * effects these events were ever to bring about, and how many of them
   * succeeded; replays of an effect count as that one.
   */
  readonly effects: readonly { readonly delivered: number; readonly succeeded: number }[];
}

/** Replays put events into lanes again; deduplication never sees them. */
export interface Replays {
  createReplay(
    replay: Pick<ReplayRecord, 'filter' | 'handlers' | 'ifNotSucceeded' | 'target'>,
    now: number,
  ): Promise<ReplayRecord>;
  replay(id: string): Promise<ReplayRecord | null>;
  replays(limit: number): Promise<readonly ReplayRecord[]>;

  /**
   * Stores the deliveries and moves the replay's cursor, in one transaction.
   * Lanes take them after what they already hold.
   */
  enqueueReplay(
    id: string,
    deliveries: readonly ReplayDelivery[],
    options: { readonly cursor: string; readonly now: number },
  ): Promise<void>;
  finishReplay(id: string): Promise<void>;
  replayProgress(id: string): Promise<ReplayProgress>;

  /** The events of a selection, oldest first, at most so many. */
  replayEvents(selection: ReplaySelection, limit: number): Promise<readonly ReplayEvent[]>;

  /** The same events, counted instead of read. */
  countReplayEvents(selection: ReplaySelection & { readonly effects: readonly string[] }): Promise<{
    readonly groups: readonly ReplayEventGroup[];
    readonly subjects: number;
  }>;

  /**
   * Makes dead deliveries pending again at the head of their lanes, with a
   * fresh count of tries. Those in another status are left alone.
   * Returns the ids that were changed.
   */
  retryDeliveries(ids: readonly string[], now: number): Promise<readonly string[]>;
}
