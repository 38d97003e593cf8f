import type { EventFlag } from './parsed-event.ts';
import type { ParseIssue } from './rejected-delivery.ts';

/** What became of a delivery, told only once that is durable. */
export type Receipt = StoredReceipt | RepeatReceipt | RejectedReceipt;

/** A new event. */
export interface StoredReceipt {
  /** `stale` is older than what is known of its subject; `unrecognized` is not in the contract. */
  readonly status: 'accepted' | 'stale' | 'unrecognized';
  /** The event's. */
  readonly id: string;
  readonly kind: string;
  readonly flags: readonly EventFlag[];
}

/** Counted on an event that was there before. */
export interface RepeatReceipt {
  readonly status: 'duplicate';
  /** The first event's. */
  readonly id: string;
  readonly kind: string;
}

/** No event; held in quarantine, as far as its quota allows. */
export interface RejectedReceipt {
  readonly status: 'rejected';
  readonly reason: 'malformed' | 'invalid';
  /** The quarantine entry's; null when the quota left no room, and nothing is kept. */
  readonly id: string | null;
  /** The envelope's `type`, when it could be read. */
  readonly kind: string | null;
  readonly message: string;
  readonly issues: readonly ParseIssue[];
}
