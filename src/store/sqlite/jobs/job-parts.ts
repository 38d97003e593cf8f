/** What a job does in SQLite's own way: at once, inside the transaction of the store's thread. */
import { sql } from 'kysely';
import type { JobParts } from '../../shared/jobs/job-steps.ts';
import { run } from '../../shared/sql/statements.ts';
import type { DiscardDeliveries } from '../deliveries/discard-deliveries.ts';
import type { EnqueueBatch, ReplayBatch } from '../deliveries/enqueue-batch.ts';
import type { RetryDeliveries } from '../deliveries/retry-deliveries.ts';
import { nothingToDo } from '../sql/dialect.ts';

interface Deps {
  readonly retryDeliveries: RetryDeliveries;
  readonly discardDeliveries: DiscardDeliveries;
  readonly enqueueBatch: EnqueueBatch;
}

/* oxlint-disable require-yield -- what runs at once is no step */
export function createJobParts({
  retryDeliveries,
  discardDeliveries,
  enqueueBatch,
}: Deps): JobParts<ReplayBatch> {
  return {
    *retryDeliveries(ids, now) {
      return retryDeliveries(ids, now);
    },
    *discardDeliveries(ids, options) {
      return discardDeliveries(ids, options);
    },
    lockLanesOf: nothingToDo,
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
