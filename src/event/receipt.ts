/** What a webhook became, once that is on disk. */
import type { ParseIssue } from './delivery.ts';
import type { EventFlag } from './event.ts';

/** The result of a delivery. It exists only once the result is durable. */
export type Receipt = StoredReceipt | RepeatReceipt | RejectedReceipt | PingReceipt;

/** The delivery is a new event. */
export interface StoredReceipt {
  /** `stale`: older than the latest event of its subject. `unrecognized`: the contract lacks the kind. */
  readonly status: 'accepted' | 'stale' | 'unrecognized';
  /** The event's id. */
  readonly id: string;
  readonly kind: string;
  readonly flags: readonly EventFlag[];
}

/** The delivery repeats an event, which counts it. */
export interface RepeatReceipt {
  readonly status: 'duplicate';
  /** The first event's id. */
  readonly id: string;
  readonly kind: string;
}

/** The sender tests the address. The delivery is no event, and nothing is stored. */
export interface PingReceipt {
  readonly status: 'ping';
  readonly id: null;
  readonly kind: string | null;
  /** What the sender wants to read in the answer. */
  readonly challenge?: string;
}

/** The delivery is not an event. It is in quarantine unless the quota is used up. */
export interface RejectedReceipt {
  readonly status: 'rejected';
  readonly reason: 'malformed' | 'invalid';
  /** The quarantine entry's id; null when the quota is used up and nothing was stored. */
  readonly id: string | null;
  /** The envelope's `type`, when it is readable. */
  readonly kind: string | null;
  readonly message: string;
  readonly issues: readonly ParseIssue[];
}
