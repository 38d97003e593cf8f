/** The queue of deliveries that a store offers to the dispatcher: claim, complete, reschedule, release, abandon; and how operators see lanes. */
import type { JsonValue } from '../kernel/json/json.ts';
import type { StoredEvent } from '../event/stored-event.ts';
import type { MachineBase } from './retention.ts';
import type { SourceSubject } from './queries.ts';

/** Identifies a delivery that this process has in flight. */
export type DeliveryKey = Pick<ClaimedDelivery, 'id' | 'lane' | 'holder' | 'start' | 'handler' | 'replay'>;

/** The next delivery of a lane, claimed when a batch of deliveries succeeded. */
export interface FollowingDelivery {
  /** The index in the batch of the delivery that it follows, from 0. */
  readonly at: number;
  readonly delivery: ClaimedDelivery | UnreadDelivery;
}

/** A delivery in flight: this process completes, reschedules or releases it. */
export interface ClaimedDelivery {
  /** `d` and a number. */
  readonly id: string;
  /** Its lane. Opaque outside the store. */
  readonly lane: string;
  /** The lease under which this process claimed it; 0 in a store that only one process may own. */
  readonly holder: number;
  /** The number of this start, from 1; 0 in a store that only one process may own. */
  readonly start: number;
  readonly handler: string;
  /** The effect of a machine to run, and the change that caused it; null for a delivery to a handler. */
  readonly effect: { readonly name: string; readonly change: JsonValue; readonly late: boolean } | null;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  /** The job of the replay that requested it, `j` and a number; null for a first delivery. */
  readonly replay: string | null;
  /** Where the event came from, as the header `traceparent`; null where that is not known. */
  readonly traceparent: string | null;
  readonly event: StoredEvent;
}

/** A delivery in flight whose event cannot be read: the caller releases it. */
export interface UnreadDelivery extends DeliveryKey {
  readonly event: null;
  /** Why the event cannot be read. */
  readonly reason: string;
}

/** Claimed deliveries, split by whether their events could be read. */
export interface ReadDeliveries {
  readonly deliveries: readonly ClaimedDelivery[];
  readonly unread: readonly UnreadDelivery[];
}

/** How long a handler with `order: 'latest'` waits for the newest event. Both in milliseconds. */
export interface LatestPolicy {
  /** Its run begins when no event of the subject has come for so long. */
  readonly quietMs: number;
  /** It begins so long after the first event that waits, at the latest. */
  readonly maxWaitMs: number;
}

/** A handler whose lanes run the newest delivery that waits, and skip those before it. */
export interface LatestHandler extends LatestPolicy {
  readonly handler: string;
}

export interface ClaimRequest {
  /** Claims deliveries due by this time, in milliseconds since 1970. */
  readonly now: number;
  /** The maximum number of deliveries to run now, each of another lane. */
  readonly limit: number;
  /** The maximum number of deliveries to prefetch beyond `limit`; 0 by default. */
  readonly prefetch?: number;
  /** The handlers to claim for: registered and not paused. */
  readonly handlers: readonly string[];
  /** Those of them of which nothing is prefetched: most of it might have to wait for its rate. */
  readonly notPrefetched?: readonly string[];
  /**
   * Those of which the newest delivery of a subject runs: before it starts, the earlier new ones end as skipped, 1,000
   * at most in a claim. Other handlers are ignored; none by default.
   */
  readonly latest?: readonly LatestHandler[];
  /**
   * Prefers a due delivery without attempts, because it makes the better probe: the
   * one that is due for longest, or the newest.
   */
  readonly untriedFirst?: 'oldest' | 'newest';
  /**
   * With `untriedFirst`, prefers deliveries of other sources than these. A store may
   * search only the 10,000 deliveries next to the preferred end.
   */
  readonly exceptSources?: readonly string[];
}

/**
 * Deliveries claimed before they can run, so that many claims share a commit.
 *
 * Only first attempts (new or manually retried), never interrupted by a crash.
 * An attempt counts when its outcome is recorded, so a delivery that never ran
 * loses none in a crash. Events are read in batches, shortly before they run.
 */
export interface Prefetched {
  /** Returns the number of deliveries left. */
  left(): number;
  /**
   * Takes and reads the next deliveries: at most `most`, fewer when their events are large, at least one. Returns
   * all that are left as unread when they may not start any more (see `LaneQueue.mayStart`). One call at a time.
   */
  next(most: number): Promise<ReadDeliveries>;
  /** Returns the handlers of the deliveries left. */
  handlers(): readonly string[];
  /** Removes the deliveries left of these handlers without reading them, for the caller to release. */
  withdraw(handlers: readonly string[]): readonly DeliveryKey[];
}

/** Deliveries of a handler with `order: 'latest'` that ended as skipped. */
export interface SupersededDeliveries {
  readonly handler: string;
  readonly deliveries: number;
}

/** The deliveries to run now, and those prefetched. */
export interface Claim extends ReadDeliveries {
  /** The deliveries beyond the limit. */
  readonly prefetched: Prefetched;
  /** How many deliveries the claim has skipped, because a newer one of their lane waits; by handler, or some of it. */
  readonly superseded: readonly SupersededDeliveries[];
  /**
   * When the next delivery of these handlers is due, in milliseconds since
   * 1970; null when none waits. At most `now` when more are due than claimed.
   */
  readonly nextDueAt: number | null;
}

/** A machine's new state, stored in the transaction that completes its delivery. */
export interface MachineCommit {
  readonly machine: string;
  readonly state: JsonValue;
  /** The highest version of the events folded in; null when none had one. */
  readonly version: string | null;
  /** The event with the highest number folded in. */
  readonly lastEventId: string;
  /** The revision that the fold started from; 0 when there was no state. */
  readonly revision: number;
  readonly anomalies: readonly { readonly eventId: string; readonly message: string }[];
  /** Whether `anomalies` replaces the known ones (after a refold) or adds to them. */
  readonly refolded: boolean;
  /**
   * The effects to deliver. Effects of the delivery's own event belong to the
   * delivery's replay; others are first deliveries. An effect that exists for
   * (event, machine, effect, replay) is not stored again.
   */
  readonly effects: readonly MachineEffect[];
  /** The state at the last pruned event, of a subject that the machine folds first when some are pruned. */
  readonly base?: MachineBase;
}

export interface MachineEffect {
  readonly eventId: string;
  readonly name: string;
  readonly change: JsonValue;
  readonly late: boolean;
}

/** When released deliveries are due, in milliseconds since 1970, and whether that is because of their rate. */
export interface ReleaseOptions {
  readonly dueAt: number;
  readonly byRate?: boolean;
}

/** The final outcome of a delivery. */
export type DeliveryEnd =
  | { readonly status: 'succeeded'; readonly machine?: MachineCommit }
  | { readonly status: 'skipped'; readonly reason: string }
  /** `durationMs` is that of the last attempt; undefined when none ran. With `hold`, the lane waits behind the dead letter. */
  | {
      readonly status: 'dead';
      readonly reason: string;
      readonly durationMs?: number;
      readonly hold?: boolean;
    };

/**
 * Deliveries queued by lane. At most one delivery of a lane is in flight at a
 * time, and it is always the first unfinished one. Times are milliseconds since
 * 1970.
 */
export interface LaneQueue {
  /**
   * Makes the deliveries that a crashed owner left running pending again, and
   * returns their number.
   *
   * The interrupted attempt counts unless it was prefetched, and `lastError`
   * says that the process ended. Deliveries with two attempts or more become
   * due one after the other, most attempts first: one of them may crash the
   * process, and must not use up the attempts of the others.
   */
  recover(): Promise<number>;

  /**
   * Whether a delivery that this process has claimed is still its own, by its monotonic clock. False after the
   * process was frozen for so long that another one may have taken the delivery over: then it must not start.
   */
  mayStart(delivery: DeliveryKey): boolean;

  /** Claims deliveries that are due and not paused, and marks them running. */
  claim(request: ClaimRequest): Promise<Claim>;

  /**
   * Completes a delivery. With `next`, the same transaction claims the lane's
   * following delivery if it is due and not paused; otherwise the lane queues
   * behind those that are due. A lane that is held waits until the dead letter is retried or
   * discarded, or its pause ends.
   *
   * @throws PortariaError `machine-conflict` when the machine's revision has
   *   changed: nothing is stored, and the delivery stays in flight.
   */
  complete(
    delivery: DeliveryKey,
    end: DeliveryEnd,
    options: { readonly now: number; readonly next: boolean },
  ): Promise<ClaimedDelivery | UnreadDelivery | null>;

  /**
   * Completes a batch of deliveries that succeeded and leave nothing else to
   * store: of one handler, of one replay or none, each of another lane.
   *
   * @throws PortariaError `invalid-argument` when one is not in flight; `lane-locked` when there are several and another
   *   process has locked the lane of one. None is completed then.
   */
  succeed(
    deliveries: readonly DeliveryKey[],
    options: { readonly now: number; readonly next: boolean },
  ): Promise<readonly FollowingDelivery[]>;

  /** Makes a delivery pending again at the head of its lane, which waits until `dueAt`. */
  reschedule(
    delivery: DeliveryKey,
    failure: {
      readonly now: number;
      readonly dueAt: number;
      readonly reason: string;
      /** How long the attempt took; undefined when it did not run. */
      readonly durationMs?: number;
      /** `failed` by default. */
      readonly outcome?: 'failed' | 'interrupted';
    },
  ): Promise<void>;

  /**
   * Makes deliveries pending again in one transaction, without counting this
   * attempt. Ignores deliveries that are not in flight.
   */
  release(deliveries: readonly DeliveryKey[], options: ReleaseOptions): Promise<void>;

  /**
   * Gives up deliveries in flight whose outcome the store could not record. The caller no longer counts them as
   * running. The store makes them pending again once it can be written: in SQLite before the next claim, in PostgreSQL
   * after the next heartbeat. Ignores deliveries that are not in flight. Never throws.
   */
  abandon(deliveries: readonly DeliveryKey[]): void;

  /**
   * Makes dead deliveries pending again at the head of their lanes, with no
   * attempts. Ignores deliveries in another status. Returns the changed ids.
   */
  retryDeliveries(ids: readonly string[], now: number): Promise<readonly string[]>;

  /**
   * Ends pending and dead deliveries as skipped, with a reason, and continues their lanes. Ignores deliveries
   * in another status. Returns the changed ids.
   */
  discardDeliveries(
    ids: readonly string[],
    options: { readonly reason: string; readonly now: number },
  ): Promise<readonly string[]>;
}

/** What a lane of a subject does, or waits for. Times are milliseconds since 1970. */
export interface LaneRecord {
  readonly handler: string;
  /** The delivery that runs, or that is next. */
  readonly delivery: {
    readonly id: string;
    readonly eventId: string;
    readonly kind: string;
    readonly running: boolean;
    readonly attempts: number;
    readonly lastError: string | null;
    readonly dueAt: number | null;
    /** Whether that is because of its rate. */
    readonly byRate: boolean;
  };
  /** Unfinished deliveries behind it. */
  readonly behind: number;
  /** Whether there are more of them, which were not counted. */
  readonly more: boolean;
}

/** Reads lanes, for operators. */
export interface LaneReads {
  /** Returns the lanes of a subject with an unfinished delivery, by handler. Up to 1,000 deliveries are counted. */
  lanesOf(subject: SourceSubject): Promise<readonly LaneRecord[]>;
}
