/** Jobs as rows, and as operators read them. */
import type { Selectable } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import type { JobAction, JobEnding, JobRecord, JobSelection, JobState } from '../../jobs.ts';
import type { DatabaseSchema } from '../tables.ts';
import { rowId, type RowPrefix } from '../ids.ts';

/** The size of the first stage of a staged job. */
export const FIRST_STAGE = 1;

/** The result of an item. */
export type ItemOutcome = 'succeeded' | 'failed' | 'skipped';

export type JobRow = Selectable<DatabaseSchema['jobs']>;

/** The letter of the ids of an action's items; those of a replay are events, which have none. */
export function itemPrefix(action: string): RowPrefix {
  return action === 'release' ? 'q' : 'd';
}

export function jobRecord(row: JobRow): JobRecord {
  return {
    id: rowId('j', row.id),
    plan: row.plan,
    action: row.action as JobAction,
    selection: JSON.parse(row.selection) as JobSelection,
    planned: row.planned,
    staged: row.staged === 1,
    rate: row.rate,
    stopAt: row.stop_at,
    reason: row.reason,
    requestedBy: row.requested_by,
    createdAt: row.created_at,
    endedAt: row.ended_at,
    state: row.state as JobState,
    ending: row.message === null ? null : (JSON.parse(row.message) as JobEnding),
    stage: {
      number: row.stage,
      size: row.stage_size,
      acted: row.stage_acted,
      ended: row.stage_ended,
      failed: row.stage_failed,
    },
    cursor: row.cursor === 0 ? null : cursorOf(row),
    acted: row.acted,
    leftAlone: row.left_alone,
    succeeded: row.succeeded,
    failed: row.failed,
    skipped: row.skipped,
  };
}

function cursorOf({ action, cursor }: JobRow): string {
  return action === 'replay' ? String(cursor) : rowId(itemPrefix(action), cursor);
}

/** Why a delivery that a job discards is skipped. */
export function discardReason(job: JobRow, now: number): string {
  return `discarded by ${job.requested_by} at ${new Date(now).toISOString()}: ${job.reason ?? ''}`;
}

export function noJob(id: string): PortariaError {
  return new PortariaError('not-found', `there is no job ${id}`);
}
