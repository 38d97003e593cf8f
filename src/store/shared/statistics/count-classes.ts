/** What the tables of counts count by, and the changes that both stores report to them. */
import type { Verdict } from '../../../event/stored-event.ts';
import type { DeliveryStatus } from '../../queries.ts';

/** The columns that events are counted by. */
export interface EventClass {
  readonly kind: string;
  readonly recognized: number;
  readonly verdict: Verdict;
}

/** The columns that deliveries are counted by, beside their status. */
export interface DeliveryClass {
  readonly handler: string;
  /** 0 for a first delivery, which belongs to no replay. */
  readonly replayId: number;
}

/** Receives what a transaction stores and moves. */
export interface CountedChanges {
  eventStored(event: EventClass, receivedAt: number): void;
  eventRepeated(event: EventClass): void;
  /** Counts an event of before in another class. */
  eventMoved(from: EventClass, to: EventClass, receivedAt: number): void;
  /** @param count the number of deliveries; 1 by default */
  deliveryStored(delivery: DeliveryClass, status: DeliveryStatus, count?: number): void;
  /** @param count the number of deliveries; 1 by default */
  deliveryMoved(delivery: DeliveryClass, from: DeliveryStatus, to: DeliveryStatus, count?: number): void;
}

/** The maximum number of kinds outside the contract with counts of their own: senders can invent any number. */
export const MAX_UNKNOWN_KINDS = 1_000;

/** The characters of such a kind, at most: PostgreSQL has no index for long ones, and no page shows them. */
export const MAX_COUNTED_KIND = 256;

/** The kind in `event_counts` for all other unknown kinds. The parser rejects an empty kind. */
export const OTHER_KINDS = '';
