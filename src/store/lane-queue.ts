import type { JsonValue } from '../kernel/json/json.ts';
import type { StoredEvent } from '../event/stored-event.ts';

/** What tells a delivery that this process holds from all others. */
export type DeliveryKey = Pick<ClaimedDelivery, 'id' | 'lane' | 'handler' | 'replay'>;

/** What was claimed behind one of several deliveries, and which of them that was, from 0. */
export interface FollowingDelivery {
  readonly at: number;
  readonly delivery: ClaimedDelivery | UnreadDelivery;
}

/** A delivery that this process holds until it is advanced, rescheduled or handed back. */
export interface ClaimedDelivery {
  /** `d` and a number. */
  readonly id: string;
  /** Its lane. Opaque outside the store. */
  readonly lane: string;
  readonly handler: string;
  /** For a machine's effect: which one, and the change it answers to. */
  readonly effect: { readonly name: string; readonly change: JsonValue; readonly late: boolean } | null;
  /** Which try this is, from 1. */
  readonly attempt: number;
  /** The replay that asked for it, `r` and a number; null for the first delivery. */
  readonly replay: string | null;
  readonly event: StoredEvent;
}

/** A delivery that this process holds, and whose event cannot be read: it is to be handed back. */
export interface UnreadDelivery extends DeliveryKey {
  readonly event: null;
  /** Why it cannot. */
  readonly reason: string;
}

/** Claimed deliveries, by whether their events could be read. */
export interface ReadDeliveries {
  readonly deliveries: readonly ClaimedDelivery[];
  readonly unread: readonly UnreadDelivery[];
}

export interface ClaimRequest {
  /** Milliseconds since 1970: deliveries due by then. */
  readonly now: number;
  /** At most this many, each of another lane. */
  readonly limit: number;
  /** At most so many beyond `limit`, which wait in this process for their turn; none unless given. */
  readonly ahead?: number;
  /** Only deliveries of these handlers (registered, and not paused). */
  readonly handlers: readonly string[];
  /** Only deliveries of this replay. */
  readonly replay?: string;
  /** Whether a due delivery that was never tried goes before those that were: it is the better probe. */
  readonly untriedFirst?: boolean;
}

/**
 * Deliveries that nobody has time for yet: claimed all the same, so that many
 * share a commit. Only such as were not tried since they came or were retried
 * by hand, and never cut short by the end of a process. Their tries count when
 * their outcomes are recorded, so whoever has not begun when the process ends
 * loses none; one that ends the process gets a try more, once. Their events are
 * read when their turn comes.
 */
export interface Prefetched {
  /** How many are left. */
  left(): number;
  /** The next ones, at most so many, and fewer when their events are large; one at least, when any is left. */
  next(most: number): Promise<ReadDeliveries>;
  /** Whose they are that are left. */
  handlers(): readonly string[];
  /** Takes out all that are left of these handlers, unread, for whoever hands them back. */
  withdraw(handlers: readonly string[]): readonly DeliveryKey[];
}

/** At most as many as the limit, and what there is beyond it. */
export interface Claim extends ReadDeliveries {
  /** Those beyond the limit. */
  readonly ahead: Prefetched;
  /**
   * Milliseconds since 1970 when the next delivery of these handlers is due;
   * null when none waits. Not after `now` when more are due than were claimed.
   */
  readonly nextDueAt: number | null;
}

/** A machine's new state, stored in the transaction that ends its delivery. */
export interface MachineCommit {
  readonly machine: string;
  readonly state: JsonValue;
  /** The highest version folded in; null when none had one. */
  readonly version: string | null;
  /** The event with the highest number folded in. */
  readonly lastEventId: string;
  /** The revision the fold started from; 0 when there was no state yet. */
  readonly revision: number;
  readonly anomalies: readonly { readonly eventId: string; readonly message: string }[];
  /** Whether `anomalies` are all there are (a refold) or are added to the known ones. */
  readonly refolded: boolean;
  /**
   * Effects to deliver. Those of the delivery's own event belong to the
   * delivery's replay, the others are first deliveries. One that exists for
   * (event, machine, effect, replay) is not stored again.
   */
  readonly effects: readonly MachineEffect[];
}

export interface MachineEffect {
  readonly eventId: string;
  readonly name: string;
  readonly change: JsonValue;
  readonly late: boolean;
}

/** How a delivery ended for good. */
export type DeliveryEnd =
  | { readonly status: 'succeeded'; readonly machine?: MachineCommit }
  | { readonly status: 'skipped'; readonly reason: string }
  | { readonly status: 'dead'; readonly reason: string };

/**
 * Deliveries by lane: at most one of a lane is claimed at a time, and always
 * the first that is not finished. Times are milliseconds since 1970.
 */
export interface LaneQueue {
  /**
   * Makes pending again what a crashed owner left running. Returns how many.
   * Their try counts unless they were claimed ahead, and `lastError` says that
   * the process ended. Those that had been tried before are due one after the
   * other, the most tried first: one of them may be what ends the process, and
   * must not take the others along.
   */
  recover(): Promise<number>;

  claim(request: ClaimRequest): Promise<Claim>;

  /**
   * Ends a delivery and moves its lane on. With `next`, claims the lane's
   * following delivery in the same transaction, when it is due (and, with
   * `replay`, one of that replay); otherwise the lane goes to the back of those
   * that are due.
   *
   * @throws PortariaError `machine-conflict` when the machine's revision is
   *   another by now: nothing was stored, the delivery is still held.
   */
  complete(
    delivery: DeliveryKey,
    end: DeliveryEnd,
    options: { readonly now: number; readonly next: boolean; readonly replay?: string },
  ): Promise<ClaimedDelivery | UnreadDelivery | null>;

  /**
   * As `advance` of deliveries that have succeeded and leave nothing else to
   * store: all of one handler, and of one replay or none, each of another lane.
   *
   * @throws PortariaError `invalid-argument` when one of them is not held: then none of them has ended.
   */
  succeed(
    deliveries: readonly DeliveryKey[],
    options: { readonly now: number; readonly next: boolean; readonly replay?: string },
  ): Promise<readonly FollowingDelivery[]>;

  /** Keeps the delivery at the head of its lane and holds the lane until `dueAt`. */
  reschedule(
    delivery: DeliveryKey,
    failure: {
      readonly now: number;
      readonly dueAt: number;
      readonly reason: string;
    },
  ): Promise<void>;

  /**
   * Gives deliveries back unfinished, all in one transaction: they are pending
   * again and this try never counted. Those that are not held are left alone.
   */
  release(deliveries: readonly DeliveryKey[], options: { readonly dueAt: number }): Promise<void>;
}
