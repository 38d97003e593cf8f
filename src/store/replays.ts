import type { Verdict } from '../event/stored-event.ts';
import type { EventFilter } from './queries.ts';
import type { Route } from './route.ts';

/** Deliveries that a replay wants: events for a handler. */
export interface ReplayDeliveries {
  readonly route: Route;
  /** The events' numbers, which their ids end in. */
  readonly events: readonly number[];
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

/** Events of a page that nothing tells apart for a replay. */
export interface ReplayEvents {
  readonly traits: ReplayTraits;
  /** Their numbers, which their ids end in, in arrival order. */
  readonly events: readonly number[];
}

/** All such events, counted. */
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
   * Stores the deliveries and moves the replay's cursor to an event, by full id
   * or number, in one transaction. Lanes take them after what they already
   * hold, in the order in which the events arrived.
   */
  enqueueReplay(
    id: string,
    deliveries: readonly ReplayDeliveries[],
    options: { readonly cursor: string; readonly now: number },
  ): Promise<void>;
  finishReplay(id: string): Promise<void>;
  replayProgress(id: string): Promise<ReplayProgress>;

  /** Of the events of a selection that were stored after one, or of all, the oldest. */
  replayEvents(
    selection: ReplaySelection,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<readonly ReplayEvents[]>;

  /** All events of a selection that were stored after one, or all of it, counted. */
  countReplayEvents(
    selection: ReplaySelection & { readonly after: string | null; readonly effects: readonly string[] },
  ): Promise<{
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
