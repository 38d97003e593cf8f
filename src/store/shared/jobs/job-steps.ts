/** Acts on the next items of a running job, and stores what a replay enqueues or sends. */
import { sql } from 'kysely';
import type { ItemOutcome, JobStep } from '../../jobs.ts';
import type { Replays, SentEvents } from '../../replays.ts';
import type { DeliveryChanges, DeliveryParts } from '../deliveries/change-deliveries.ts';
import { endedWithin } from '../deliveries/delivery-conditions.ts';
import { rowId, rowOf } from '../ids.ts';
import type { SharedConnection } from '../sql/connection.ts';
import { allOf } from '../sql/dialect.ts';
import { rows, run, type Write } from '../sql/statements.ts';
import { discardReason, itemPrefix, selectionOf, type JobRow } from './job-record.ts';
import { lockJob } from './job-writes.ts';

/** What each database does in its own way. A batch is a part of what a replay enqueues. */
export interface JobParts<Batch> extends DeliveryChanges, Pick<DeliveryParts, 'lockLanesOf'> {
  /**
   * Stores the deliveries of a replay at the end of their lanes, except those stored before and those of pruned events.
   * Stored content is kept until the end of the transaction.
   *
   * @throws PortariaError `not-found` for an unknown event
   */
  enqueueEvents(replayId: number, batches: readonly Batch[], now: number): Write<void>;
  /** Adds to the counts of a replay. */
  countReplayed(replayId: number, status: string, events: number): Write<void>;
}

export function createJobSteps<Batch>({ dialect, ids }: SharedConnection, parts: JobParts<Batch>) {
  /** Returns the rows that have not ended again since the plan was made: what has does not belong to it. */
  function* unchanged(job: JobRow, items: readonly number[]): Write<readonly number[]> {
    const selection = selectionOf(job.selection);
    const within = 'deliveries' in selection ? endedWithin(selection.deliveries) : [];
    if (within.length === 0) return items;
    const isItem = dialect.isAnyOf('id', items, 'bigint');
    yield* parts.lockLanesOf(isItem);
    const found = yield* rows(
      sql<{ id: number }>`
        select id from deliveries where ${allOf([isItem, ...within])} order by id ${dialect.forUpdate}`,
    );
    return found.map(({ id }) => id);
  }

  function* act(
    job: JobRow,
    items: readonly number[],
    { now, released, repaired }: JobStep,
  ): Write<readonly number[]> {
    if (repaired !== undefined) return repaired.map((event) => ids.eventRow(event) ?? 0);
    if (released === true) {
      const found = yield* rows(
        sql<{ id: number }>`
          select id from quarantine
          where ${dialect.isAnyOf('id', items, 'bigint')} and status = 'released' order by id`,
      );
      return found.map(({ id }) => id);
    }
    const deliveries = items.map((item) => rowId('d', item));
    const done =
      job.action === 'retry'
        ? yield* parts.retryDeliveries(deliveries, now)
        : yield* parts.discardDeliveries(deliveries, { reason: discardReason(job, now), now });
    return done.map((id) => rowOf('d', id) ?? 0);
  }

  function* addItems(job: JobRow, items: readonly number[], outcome: ItemOutcome | null): Write<void> {
    yield* run(sql`
      insert into job_items (job_id, item, stage, outcome)
      select cast(${job.id} as bigint), item, cast(${job.stage} as integer), cast(${outcome} as text)
      from ${dialect.tableOf('acted', items, { item: ['bigint', (item) => item] })}
      where true on conflict do nothing`);
  }

  /** Events that a replay to a URL has ended count like deliveries. */
  function* recordSent(job: JobRow, { succeeded, skipped, failed }: SentEvents): Write<void> {
    for (const [status, events] of Object.entries({ succeeded, skipped, dead: failed.length }))
      if (events > 0) yield* parts.countReplayed(job.id, status, events);
    const items = failed.map((event) => ids.eventRow(event) ?? 0);
    yield* addItems(job, items, 'failed');
  }

  return {
    /** As in `Jobs`. Of two processes, the second one finds the cursor moved. */
    *stepJob(id: string, step: JobStep): Write<void> {
      const job = yield* lockJob(dialect, id);
      if (job.state !== 'running' || job.action === 'replay') return;
      const items = step.items
        .map((item) => rowOf(itemPrefix(job.action), item) ?? 0)
        .filter((item) => item > job.cursor);
      if (items.length === 0) return;
      const left = new Set(step.left?.map((item) => rowOf('d', item)));
      const wanted = items.filter((item) => !left.has(item));
      const acted = yield* act(job, yield* unchanged(job, wanted), step);
      // A discarded delivery has its result at once.
      const outcome = job.action === 'discard' ? 'skipped' : null;
      yield* addItems(job, acted, outcome);
      const ended = outcome === null ? 0 : acted.length;
      yield* run(sql`
        update jobs set cursor = ${Math.max(...items)}, acted = acted + ${acted.length},
          left_alone = left_alone + ${items.length - acted.length}, stage_acted = stage_acted + ${acted.length},
          stage_ended = stage_ended + ${ended}, skipped = skipped + ${ended}
        where id = ${job.id}`);
    },

    /** As in `Replays`. */
    *enqueueReplay(
      id: string,
      batches: readonly Batch[],
      { cursor, now, sent }: Parameters<Replays['enqueueReplay']>[2],
    ): Write<void> {
      // Before the job: an erasure locks in this order.
      yield* dialect.keepContents();
      const job = yield* lockJob(dialect, id);
      if (job.state !== 'running' && sent === undefined) return;
      yield* parts.enqueueEvents(job.id, batches, now);
      yield* run(sql`update jobs set cursor = ${ids.eventRow(cursor) ?? 0} where id = ${job.id}`);
      if (sent !== undefined) yield* recordSent(job, sent);
    },
  };
}
