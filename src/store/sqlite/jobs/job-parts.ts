/** What a job does in SQLite's own way: at once, inside the transaction of the store's thread. */
import { sql } from 'kysely';
import type { DeliveryChanges } from '../../shared/deliveries/change-deliveries.ts';
import type { JobParts } from '../../shared/jobs/job-steps.ts';
import { run } from '../../shared/sql/statements.ts';
import type { EnqueueBatch, ReplayBatch } from '../deliveries/enqueue-batch.ts';
import { nothingToDo } from '../sql/dialect.ts';

export function createJobParts(
  deliveryChanges: DeliveryChanges,
  enqueueBatch: EnqueueBatch,
): JobParts<ReplayBatch> {
  return {
    ...deliveryChanges,
    lockLanesOf: nothingToDo,
    // oxlint-disable-next-line require-yield -- what runs at once is no step
    *enqueueEvents(replayId, batches, now) {
      for (const batch of batches) enqueueBatch(replayId, batch, now);
    },
    *countReplayed(replayId, status, events) {
      yield* run(sql`
        insert into replay_counts (replay_id, status, deliveries) values (${replayId}, ${status}, ${events})
        on conflict (replay_id, status) do update set deliveries = replay_counts.deliveries + excluded.deliveries`);
    },
  };
}
