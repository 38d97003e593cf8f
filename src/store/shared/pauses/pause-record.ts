/** Pauses as rows. */
import type { Pause } from '../../pauses.ts';
import { rowId } from '../ids.ts';

/** Rows that a count of paused deliveries looks at, at most: a backlog may have millions. */
export const MAX_SEARCHED = 20_000;

export interface PauseRow {
  readonly id: number;
  readonly handler: string | null;
  readonly source: string | null;
  readonly family: string | null;
  readonly entity: string | null;
  readonly reason: string;
  readonly paused_by: string;
  readonly paused_at: number;
  readonly until: number | null;
  readonly acknowledged_at: number | null;
  readonly delivery_id: number | null;
}

export function pauseOf(row: PauseRow): Pause {
  const { handler, source, family, entity, reason, until } = row;
  return {
    id: rowId('p', row.id),
    ...{ handler, source, reason, until },
    subject: family === null || entity === null ? null : { family, id: entity },
    pausedBy: row.paused_by,
    pausedAt: row.paused_at,
    acknowledgedAt: row.acknowledged_at,
    deadLetter: row.delivery_id === null ? null : rowId('d', row.delivery_id),
  };
}
