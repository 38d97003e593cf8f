import type { EventFlag, IdentifiedEvent } from '../event/event.ts';
import type { RejectedDelivery } from '../event/delivery.ts';
import type { Verdict } from '../event/stored-event.ts';
import type { Route } from './route.ts';

/** What became of an identified event. */
export type Acceptance =
  | {
      readonly status: 'stored';
      readonly id: string;
      readonly verdict: Verdict;
      readonly flags: readonly EventFlag[];
      /** Deliveries that wait to run; 0 when no handler wants the event. */
      readonly pending: number;
    }
  /** Counted on the event it repeats. */
  | { readonly status: 'duplicate'; readonly id: string }
  /**
   * A message id used again for another content: counted on the first event,
   * and its bytes kept in quarantine with reason `conflict`.
   */
  | {
      readonly status: 'conflict';
      readonly id: string;
      readonly quarantineId: string;
      /** As of {@link Quarantining}. */
      readonly dropped: number;
    };

/** What became of a rejected delivery. */
export interface Quarantining {
  readonly id: string;
  /** False when the quota left no room for it: nothing of it is kept. */
  readonly held: boolean;
  /** Counted on an entry that was held already. */
  readonly repeat: boolean;
  /** Entries that the quota dropped to make room; the delivery itself is one of them when it found none. */
  readonly dropped: number;
}

/** How an event came, when not off the wire. */
export interface AcceptOptions {
  readonly releases?: string;
  readonly copied?: boolean;
}

/** Where verified deliveries become durable. Every promise settles after the commit. */
export interface Inbox {
  /**
   * Decides the verdict and stores the event, its subject's new latest state
   * and one delivery per route, in one transaction.
   *
   * @param options.releases the quarantine entry this event was held as: marked
   *   released in the same transaction, and not re-counted as a repeat.
   * @param options.copied the event comes out of an export: when the very
   *   reception it is a copy of is stored (same source and subject, same
   *   millisecond, same bytes), it is a duplicate of that and nothing is counted.
   * @throws PortariaError `store-full`, `store-busy`, `store-failed`: nothing was stored.
   */
  accept(event: IdentifiedEvent, routes: readonly Route[], options?: AcceptOptions): Promise<Acceptance>;

  /**
   * Keeps a rejected delivery with its bytes. The same bytes from the same
   * source, while still held, are counted on the first (`repeat`).
   *
   * The bytes of all held entries stay within the quota. Beyond it the oldest
   * are dropped, by the rule of docs/limits.md.
   *
   * @throws PortariaError as `accept`.
   */
  quarantine(rejected: RejectedDelivery): Promise<Quarantining>;
}
