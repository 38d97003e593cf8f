/** Attempts that ended without success, as rows. */
import type { AttemptOutcome, AttemptRecord } from '../../queries.ts';
import { rowId } from '../ids.ts';

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
