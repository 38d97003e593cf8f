/** The results of a replay's deliveries, which the counts by status have: a replay stores no items. */
import { sql, type RawBuilder } from 'kysely';
import type { JobRow } from './job-record.ts';

/** A row of `replay_counts`. */
export interface StatusCount {
  readonly status: string;
  readonly deliveries: number;
}

/** Selects the counts of a replay, by its row number. */
export function statusCounts(replay: number): RawBuilder<StatusCount> {
  return sql`select status, sum(deliveries) as deliveries from replay_counts where replay_id = ${replay} group by status`;
}

/** The results of a job so far. */
export type JobResults = Pick<JobRow, 'acted' | 'succeeded' | 'failed' | 'skipped'>;

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
