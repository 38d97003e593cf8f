/** Attempts that ended, and when deliveries run again whose process ended meanwhile. */
import type { AttemptOutcome, AttemptRecord } from '../../queries.ts';
import { rowId } from '../ids.ts';

/** A delivery that ran when its process ended. */
export interface Interrupted {
  readonly id: number;
  readonly handler: string;
  readonly lane: number;
  readonly replayId: number;
  readonly attempts: number;
}

/** The attempts from which an interrupted delivery is suspected of crashing the process. */
const MIN_SUSPECT_ATTEMPTS = 2;
/** Milliseconds between the starts of suspects. */
const APART_MS = 1_000;
/** The maximum delay of a suspect, in milliseconds. */
const MAX_DELAY_MS = 30_000;

/** When an interrupted delivery is due again, and what is said of it. */
export interface Restart<D extends Interrupted> {
  readonly delivery: D;
  readonly dueAt: number;
  readonly reason: string;
}

/**
 * A delivery that crashes the process interrupts all that run beside it, which
 * would use up their attempts together. So suspects start one after the other:
 * a delivery that has not begun at the next crash loses no attempt. The one with
 * most attempts comes first. Ties alternate direction with each crash, so that
 * after two more crashes the culprit is first, and runs alone.
 */
export function restartsOf<D extends Interrupted>(
  deliveries: readonly D[],
  now: number,
): readonly Restart<D>[] {
  let suspects = 0;
  return deliveries.toSorted(bySuspicion).map((delivery) => {
    const waitMs =
      delivery.attempts < MIN_SUSPECT_ATTEMPTS ? 0 : Math.min(APART_MS * suspects++, MAX_DELAY_MS);
    return { delivery, dueAt: now + waitMs, reason: interruptedReason(delivery.attempts) };
  });
}

/** A prefetched delivery has counted no attempt, and may not have begun. */
function interruptedReason(attempts: number): string {
  return attempts === 0
    ? 'the process ended before attempt 1 was over'
    : `the process ended during attempt ${String(attempts)}`;
}

function bySuspicion(one: Interrupted, other: Interrupted): number {
  const direction = one.attempts % 2 === 0 ? 1 : -1;
  return other.attempts - one.attempts || direction * (one.id - other.id);
}

/** Attempts that are kept for a delivery: the latest, and before others those that ended a round. */
export const MAX_ATTEMPTS = 50;

/** An attempt that ended without success. */
export interface EndedAttempt {
  readonly id: number;
  readonly outcome: AttemptOutcome;
  readonly now: number;
  readonly durationMs: number | undefined;
  readonly dueAt: number | null;
  readonly reason: string;
}

export interface AttemptRow {
  readonly delivery_id: number;
  readonly attempt: number;
  readonly outcome: string;
  readonly ended_at: number;
  readonly duration_ms: number | null;
  readonly due_at: number | null;
  readonly error: string | null;
}

/** Durations are kept in whole milliseconds. */
export function keptMs(durationMs: number | undefined): number | null {
  return durationMs === undefined ? null : Math.max(0, Math.round(durationMs));
}

export function attemptRecord(row: AttemptRow): AttemptRecord {
  return {
    deliveryId: rowId('d', row.delivery_id),
    attempt: row.attempt,
    outcome: row.outcome as AttemptOutcome,
    endedAt: row.ended_at,
    durationMs: row.duration_ms,
    dueAt: row.due_at,
    error: row.error,
  };
}
