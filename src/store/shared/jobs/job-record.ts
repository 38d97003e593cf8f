/** Jobs as rows, and as operators read them. */
import { type Selectable, sql, type RawBuilder } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import type {
  ItemOutcome,
  JobAction,
  JobEnding,
  JobRecord,
  JobSelection,
  JobState,
  Jobs,
  StageResults,
} from '../../jobs.ts';
import { hasNewCondition } from '../../plans.ts';
import type { DatabaseSchema } from '../tables.ts';
import { rowId, type RowPrefix, rowOf, type Ids } from '../ids.ts';
import type { SqlReads } from '../sql/statements.ts';

/** The size of the first stage of a staged job. */
export const FIRST_STAGE = 1;

export type JobRow = Selectable<DatabaseSchema['jobs']>;

/** The letter of the ids of an action's items; those of a replay are events, which have none. */
export function itemPrefix(action: string): RowPrefix {
  if (action === 'repair') return 'r';
  return action === 'release' ? 'q' : 'd';
}

/** Older versions read this: a replay for a handler that nobody has, so they stop the job. */
const STOPPED = {
  ...{ filter: {}, ifNotSucceeded: false, target: null },
  handlers: ['for this plan: a newer version of Portaria has started it. Resume the job there'],
};

/** Returns a selection as its column has it. */
export function selectionText(selection: JobSelection): string {
  const text = JSON.stringify(selection);
  return hasNewCondition(text) ? JSON.stringify({ events: STOPPED, form2: selection }) : text;
}

/** Returns the selection that a column has; of a newer form, what stops the job. */
export function selectionOf(text: string): JobSelection {
  const { form2, ...stored } = JSON.parse(text) as JobSelection & { readonly form2?: JobSelection };
  return form2 ?? stored;
}

export function jobRecord(row: JobRow): JobRecord {
  return {
    id: rowId('j', row.id),
    plan: row.plan,
    action: row.action as JobAction,
    selection: selectionOf(row.selection),
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

export function createJobReads(
  read: SqlReads,
  ids: Ids,
): Pick<Jobs, 'job' | 'jobs' | 'runningJobs' | 'jobItems' | 'jobStages'> {
  /** What a replay has enqueued goes on after the job was stopped or cancelled, when nobody records results. */
  const withResults = async (row: JobRow): Promise<JobRecord> => {
    const job = jobRecord(row);
    if (job.action !== 'replay' || job.state === 'finished') return job;
    return { ...job, ...replayResults(await read.rows(statusCounts(row.id))) };
  };

  return {
    async job(id) {
      const row = await read.first(sql<JobRow>`select * from jobs where id = ${rowOf('j', id) ?? 0}`);
      return row === undefined ? null : withResults(row);
    },
    async jobs({ limit, after }) {
      const older = after === undefined ? sql`true` : sql`id < ${rowOf('j', after) ?? 0}`;
      const rows = await read.rows(
        sql<JobRow>`select * from jobs where ${older} order by id desc limit ${limit}`,
      );
      return Promise.all(rows.map(withResults));
    },
    async runningJobs() {
      const rows = await read.rows(
        sql<{ id: number }>`select id from jobs where state = 'running' order by id`,
      );
      return rows.map(({ id }) => rowId('j', id));
    },
    async jobItems(id, { outcome, limit, after }) {
      const has =
        outcome === undefined
          ? sql`true`
          : outcome === null
            ? sql`outcome is null`
            : sql`outcome = ${outcome}`;
      // An id of any kind ends in the number of its row.
      const from = Number(/\d+$/u.exec(after ?? '')?.[0] ?? 0);
      const rows = await read.rows(
        sql<{ item: number; action: string }>`
          select item, action from job_items join jobs on jobs.id = job_items.job_id
          where job_id = ${rowOf('j', id) ?? 0} and item > ${from} and ${has} order by item limit ${limit}`,
      );
      return rows.map(({ item, action }) =>
        action === 'replay' || action === 'repair' ? ids.event(item) : rowId(itemPrefix(action), item),
      );
    },
    async jobStages(id) {
      const count = (outcome: ItemOutcome) => sql`count(*) filter (where outcome = ${outcome})`;
      return read.rows(
        sql<StageResults>`
          select stage, count(*) as acted, ${count('succeeded')} as succeeded, ${count('failed')} as failed,
            ${count('skipped')} as skipped
          from job_items where job_id = ${rowOf('j', id) ?? 0} group by stage order by stage`,
      );
    },
  };
}

/** A row of `replay_counts`. */
interface StatusCount {
  readonly status: string;
  readonly deliveries: number;
}

/** Selects the counts of a replay, by its row number. */
export function statusCounts(replay: number): RawBuilder<StatusCount> {
  return sql`select status, sum(deliveries) as deliveries from replay_counts where replay_id = ${replay} group by status`;
}

/** The results of a job so far. */
type JobResults = Pick<JobRow, 'acted' | 'succeeded' | 'failed' | 'skipped'>;

export function replayResults(counts: readonly StatusCount[]): JobResults {
  const of = (status: string) =>
    counts.reduce((sum, each) => sum + (each.status === status ? each.deliveries : 0), 0);
  return {
    acted: counts.reduce((sum, { deliveries }) => sum + deliveries, 0),
    succeeded: of('succeeded'),
    failed: of('dead'),
    skipped: of('skipped'),
  };
}

/** Returns what changes in the row of a job with its results: what has ended since counts for its stage. */
export function resultColumns(
  job: JobRow,
  found: JobResults,
): JobResults & Pick<JobRow, 'stage_acted' | 'stage_ended' | 'stage_failed'> {
  return {
    ...found,
    stage_acted: job.stage_acted + found.acted - job.acted,
    stage_ended: job.stage_ended + endedOf(found) - endedOf(job),
    stage_failed: job.stage_failed + found.failed - job.failed,
  };
}

/** How many items have no result yet. */
export function openOf(results: JobResults): number {
  return results.acted - endedOf(results);
}

function endedOf({ succeeded, failed, skipped }: JobResults): number {
  return succeeded + failed + skipped;
}
