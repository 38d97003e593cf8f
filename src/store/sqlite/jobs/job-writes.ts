/** Stores jobs and the results of their items. */
import { sql } from 'kysely';
import type { JobChange, JobRecord, JobStep, NewJob } from '../../jobs.ts';
import type { DiscardDeliveries } from '../deliveries/discard-deliveries.ts';
import type { RetryDeliveries } from '../deliveries/retry-deliveries.ts';
import type { Connection } from '../sql/connection.ts';
import { findJob } from './find-job.ts';
import { recordReplayResults } from './replay-writes.ts';
import { rowId, rowOf } from '../../shared/ids.ts';
import { prepare, rowsNow, runNow, type Named } from '../sql/statement.ts';
import {
  discardReason,
  FIRST_STAGE,
  itemPrefix,
  jobRecord,
  type ItemOutcome,
  type JobRow,
} from '../../shared/jobs/job-record.ts';

/** Writes jobs and their items, as in `Jobs`. Called inside a transaction. */
export interface JobWrites {
  createJob(job: NewJob, now: number): JobRecord;
  stepJob(id: string, step: JobStep): void;
  recordJobResults(id: string): { readonly job: JobRecord; readonly open: number };
  changeJob(id: string, change: JobChange): boolean;
}

interface Deps {
  readonly retryDeliveries: RetryDeliveries;
  readonly discardDeliveries: DiscardDeliveries;
}

export function createJobWrites(connection: Connection, deps: Deps): JobWrites {
  const { database, query } = connection;
  const addItem = prepare(
    database,
    (p: Named<{ job: number; item: number; stage: number; outcome: string | null }>) =>
      query
        .insertInto('job_items')
        .values({ job_id: p.job, item: p.item, stage: p.stage, outcome: p.outcome })
        .onConflict((on) => on.doNothing()),
  );
  const setOutcome = prepare(database, (p: Named<{ job: number; item: number; outcome: string }>) =>
    query
      .updateTable('job_items')
      .set({ outcome: p.outcome })
      .where('job_id', '=', p.job)
      .where('item', '=', p.item),
  );
  /** A retried delivery has failed when its first attempt has, although its handler's policy tries it again. */
  const openDeliveries = prepare(database, (p: Named<{ job: number }>) =>
    query
      .selectFrom('job_items')
      .leftJoin('deliveries', 'deliveries.id', 'job_items.item')
      .select(['job_items.item', 'job_items.stage'])
      .select(
        sql<ItemOutcome | null>`case
          when deliveries.id is null or deliveries.status = 'skipped' then 'skipped'
          when deliveries.status = 'succeeded' then 'succeeded'
          when deliveries.status = 'dead' then 'failed'
          when deliveries.status = 'pending' and deliveries.attempts > deliveries.cut_short then 'failed'
          end`.as('outcome'),
      )
      .where('job_items.job_id', '=', p.job)
      .where('job_items.outcome', 'is', null),
  );
  /** A released entry ends with the deliveries of its event. */
  const openEntries = prepare(database, (p: Named<{ job: number }>) =>
    query
      .selectFrom('job_items')
      .leftJoin('quarantine', 'quarantine.id', 'job_items.item')
      .select(['job_items.item', 'job_items.stage'])
      .select(
        sql<ItemOutcome | null>`case
          when quarantine.event_id is null then 'skipped'
          when exists (select 1 from deliveries where event_id = quarantine.event_id
            and (status = 'dead' or (status = 'pending' and attempts > cut_short))) then 'failed'
          when not exists (select 1 from deliveries where event_id = quarantine.event_id
            and finished_at is null) then 'succeeded'
          end`.as('outcome'),
      )
      .where('job_items.job_id', '=', p.job)
      .where('job_items.outcome', 'is', null),
  );

  const find = (id: string): JobRow => findJob(connection, id);

  /** Returns the rows that the job may act on: those that no earlier step has acted on, and that have not changed. */
  function unchanged(job: JobRow, rows: readonly number[]): readonly number[] {
    const { deliveries } = JSON.parse(job.selection) as { readonly deliveries?: { endedUpTo?: number } };
    const upTo = deliveries?.endedUpTo;
    if (upTo === undefined) return rows;
    const endedAt = database
      .prepare<[number], number | null>('select finished_at from deliveries where id = ?')
      .pluck();
    // What has failed again since the plan was made does not belong to it.
    return rows.filter((row) => (endedAt.get(row) ?? upTo) <= upTo);
  }

  function act(job: JobRow, rows: readonly number[], { now, released }: JobStep): readonly number[] {
    const ids = rows.map((row) => rowId('d', row));
    const toRows = (done: readonly string[]) => done.map((id) => rowOf('d', id) ?? 0);
    if (released === true) return releasedOf(rows);
    if (job.action === 'retry') return toRows(deps.retryDeliveries(ids, now));
    return toRows(deps.discardDeliveries(ids, { reason: discardReason(job, now), now }));
  }

  function releasedOf(rows: readonly number[]): readonly number[] {
    const status = database.prepare<[number], string>('select status from quarantine where id = ?').pluck();
    return rows.filter((row) => status.get(row) === 'released');
  }

  return {
    createJob(job, now) {
      const known = query.selectFrom('jobs').selectAll().where('plan', '=', job.plan);
      const [earlier] = rowsNow<JobRow>(database, known);
      if (earlier !== undefined) return jobRecord(earlier);
      const inserted = runNow(
        database,
        query.insertInto('jobs').values({
          plan: job.plan,
          action: job.action,
          selection: JSON.stringify(job.selection),
          planned: job.planned,
          staged: job.staged ? 1 : 0,
          rate: job.rate,
          stop_at: job.stopAt,
          reason: job.reason,
          requested_by: job.requestedBy,
          created_at: now,
          state: 'running',
          stage_size: job.staged ? FIRST_STAGE : null,
        }),
      );
      return jobRecord(find(rowId('j', Number(inserted.lastInsertRowid))));
    },
    stepJob(id, step) {
      const job = find(id);
      if (job.state !== 'running' || job.action === 'replay') return;
      const rows = step.items
        .map((item) => rowOf(itemPrefix(job.action), item) ?? 0)
        .filter((row) => row > job.cursor);
      if (rows.length === 0) return;
      // A discarded delivery has its result at once.
      const outcome = job.action === 'discard' ? 'skipped' : null;
      const acted = act(job, unchanged(job, rows), step);
      for (const item of acted) addItem.run({ job: job.id, item, stage: job.stage, outcome });
      const ended = outcome === null ? 0 : acted.length;
      runNow(
        database,
        query
          .updateTable('jobs')
          .set((eb) => ({
            cursor: Math.max(...rows),
            acted: eb('acted', '+', acted.length),
            left_alone: eb('left_alone', '+', rows.length - acted.length),
            stage_acted: eb('stage_acted', '+', acted.length),
            stage_ended: eb('stage_ended', '+', ended),
            skipped: eb('skipped', '+', ended),
          }))
          .where('id', '=', job.id),
      );
    },
    recordJobResults(id) {
      const job = find(id);
      if (job.action === 'replay') return recordReplayResults(connection, job);
      const items = (job.action === 'release' ? openEntries : openDeliveries).all({ job: job.id });
      const sums = { succeeded: 0, failed: 0, skipped: 0 };
      const ofStage = { ended: 0, failed: 0 };
      for (const { item, stage, outcome } of items) {
        if (outcome === null) continue;
        setOutcome.run({ job: job.id, item, outcome });
        sums[outcome] += 1;
        if (stage !== job.stage) continue;
        ofStage.ended += 1;
        if (outcome === 'failed') ofStage.failed += 1;
      }
      const ended = sums.succeeded + sums.failed + sums.skipped;
      if (ended > 0)
        runNow(
          database,
          query
            .updateTable('jobs')
            .set((eb) => ({
              succeeded: eb('succeeded', '+', sums.succeeded),
              failed: eb('failed', '+', sums.failed),
              skipped: eb('skipped', '+', sums.skipped),
              stage_ended: eb('stage_ended', '+', ofStage.ended),
              stage_failed: eb('stage_failed', '+', ofStage.failed),
            }))
            .where('id', '=', job.id),
        );
      return { job: jobRecord(ended > 0 ? find(id) : job), open: items.length - ended };
    },
    changeJob(id, { from, to, ending, now, stageSize, ofStage }) {
      const job = find(id);
      if (!from.some((state) => state === job.state) || job.stage !== (ofStage ?? job.stage)) return false;
      runNow(
        database,
        query
          .updateTable('jobs')
          .set({
            state: to,
            message: ending && JSON.stringify(ending),
            ended_at: to === 'running' ? null : now,
          })
          .$if(stageSize !== undefined, (update) =>
            update.set({
              stage: job.stage + 1,
              stage_size: stageSize ?? null,
              stage_acted: 0,
              stage_ended: 0,
              stage_failed: 0,
            }),
          )
          .where('id', '=', job.id),
      );
      return true;
    },
  };
}
