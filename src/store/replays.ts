/** The events that replays select, and the deliveries that they enqueue. A replay itself is a job. */
import type { Verdict } from '../event/stored-event.ts';
import type { EventFilter } from './queries.ts';
import type { Route } from './route.ts';

/** The deliveries that a replay requests for a handler. */
export interface ReplayDeliveries {
  readonly route: Route;
  /** The numbers that the event ids end in. */
  readonly events: readonly number[];
}

/** What a replay runs again. */
export interface ReplayRequest {
  readonly filter: EventFilter;
  /** The handlers and machines that get the events; none when they are sent to a URL. */
  readonly handlers: readonly string[];
  /** Whether to leave out events that a handler has handled successfully. */
  readonly ifNotSucceeded: boolean;
  /** Whether to run what is overtaken, too: where a handler that takes no stale events handles a later one first. */
  readonly includeOvertaken?: boolean;
  /** The URL that receives the events instead of handlers. */
  readonly target: string | null;
}

/** Events that a replay to a URL has sent or left out, and the ids of those that failed for good. */
export interface SentEvents {
  readonly succeeded: number;
  readonly skipped: number;
  readonly failed: readonly string[];
}

/** Selects the events of a replay, and the facts of their deliveries to read. */
export interface ReplaySelection {
  readonly filter: EventFilter;
  /** The handlers whose succeeded deliveries to read. */
  readonly succeeded: readonly string[];
  /** The handlers whose deliveries in the filter's status to read. */
  readonly inStatus: readonly string[];
  /** The handlers for which to find out whether the events are overtaken; none by default. */
  readonly overtaken?: readonly string[];
  /** Whether later events of the selection run again, too. They run after the others, and overtake none. */
  readonly runsSucceeded?: boolean;
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
  /** The requested handlers that handle a later event of the subject first, which does not run again. */
  readonly overtaken: readonly string[];
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
  /** The first of them; null where they were counted without being read. */
  readonly first: string | null;
  /**
   * For each requested delivery name (`<machine>/effects`), in that order: the
   * number of effects that these events caused, and how many succeeded. Replays
   * of an effect count once.
   */
  readonly effects: readonly { readonly delivered: number; readonly succeeded: number }[];
}

/** Events of one kind and source that a handler has no delivery of. It has one of an earlier such event. */
export interface Undelivered {
  readonly handler: string;
  readonly kind: string;
  readonly recognized: boolean;
  readonly source: string;
  readonly events: number;
  /** When the first and the last of them were received, in milliseconds since 1970. */
  readonly since: number;
  readonly last: number;
}

/** Reads events for replays, and delivers them again without deduplication. */
export interface Replays {
  /**
   * Finds what these handlers never got of the newest events. Pruned events, and those that were imported without
   * handlers, are left out.
   */
  undelivered(handlers: readonly string[], newest: number): Promise<readonly Undelivered[]>;
  /**
   * Stores the deliveries at the end of their lanes, in the order in which the events arrived, and moves the job's
   * cursor to an event, in one transaction. A replay to a URL has no deliveries; it reports what it has sent.
   * Enqueues nothing unless the job runs; what was sent is recorded in any state.
   *
   * @param options.cursor the last event that was considered, by its id or number
   * @throws PortariaError `not-found` for an unknown job or event
   */
  enqueueReplay(
    job: string,
    deliveries: readonly ReplayDeliveries[],
    options: { readonly cursor: string; readonly now: number; readonly sent?: SentEvents },
  ): Promise<void>;

  /** Returns the oldest events of a selection after one, or of all. */
  replayEvents(
    selection: ReplaySelection,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<readonly ReplayEvents[]>;

  /** Counts the events of a selection. */
  countReplayEvents(selection: ReplaySelection & { readonly effects: readonly string[] }): Promise<{
    readonly groups: readonly ReplayEventGroup[];
    readonly subjects: number;
    /** Matching events without a body, which are left out. */
    readonly pruned: number;
  }>;
}
