import type { DeliveryStatus, EventFilter } from './queries.ts';
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

  /** Which of these events have a delivery in this status that carries one of these handler names. */
  eventsInStatus(
    handlers: readonly string[],
    status: DeliveryStatus,
    eventIds: readonly string[],
  ): Promise<ReadonlySet<string>>;

  /**
   * How many effects of these events were ever to be delivered under this
   * handler name (`<machine>/effects`); replays of an effect count as that one.
   */
  effectsOf(
    handler: string,
    eventIds: readonly string[],
  ): Promise<{ readonly delivered: number; readonly succeeded: number }>;

  /**
   * Makes dead deliveries pending again at the head of their lanes, with a
   * fresh count of tries. Those in another status are left alone.
   * Returns the ids that were changed.
   */
  retryDeliveries(ids: readonly string[], now: number): Promise<readonly string[]>;
}
