import type { VerifiedDelivery } from './verified-delivery.ts';

/** One thing that keeps a body from being an event. */
export interface ParseIssue {
  /** Where in the envelope, for example `data.amount`; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

/**
 * Why a verified delivery is not an event.
 *
 * - `malformed`: not UTF-8, not JSON, nested too deep, or not an envelope.
 * - `invalid`: an envelope of a known kind whose data does not fit its schema.
 * - `conflict`: a message id that was used before, for another content.
 */
export type RejectionReason = 'malformed' | 'invalid' | 'conflict';

/** A verified delivery that goes to quarantine, raw bytes and all. */
export interface RejectedDelivery {
  readonly stage: 'rejected';
  readonly delivery: VerifiedDelivery;
  readonly reason: RejectionReason;
  /** The envelope's `type`, when it could be read. */
  readonly kind: string | null;
  readonly message: string;
  readonly issues: readonly ParseIssue[];
}
