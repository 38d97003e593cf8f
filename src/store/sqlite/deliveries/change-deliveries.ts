/** What the change of deliveries and a job do in SQLite's own way: at once, inside the transaction of the store's thread. */
import type { DeliveryParts, DeliveryChanges } from '../../shared/deliveries/change-deliveries.ts';
import type { FailureRows } from '../failures/failure-rows.ts';
import { nothingToDo, sqliteDialect } from '../sql/dialect.ts';
import type { RowCounts } from '../statistics/row-counts.ts';
import type { Lanes } from './lanes.ts';
import { sql } from 'kysely';
import type { JobParts } from '../../shared/jobs/job-steps.ts';
import { endHolds } from '../../shared/pauses/pauses.ts';
import { run } from '../../shared/sql/statements.ts';
import type { EnqueueBatch, ReplayBatch } from './enqueue-batch.ts';

interface Deps {
  readonly lanes: Pick<Lanes, 'first' | 'putFirst' | 'proceed'>;
  readonly counts: Pick<RowCounts, 'deliveryMoved'>;
  readonly failures: Pick<FailureRows, 'forget'>;
}

/* oxlint-disable require-yield -- what runs at once is no step */
export function createDeliveryParts({ lanes, counts, failures }: Deps): DeliveryParts {
  return {
    lockLanesOf: nothingToDo,
    *putFirst(revived, now) {
      for (const delivery of revived) {
        const first = lanes.first(delivery);
        // Behind another delivery it waits until that one is finished.
        if (first?.id === delivery.id) lanes.putFirst(first, delivery, now);
      }
    },
    *makeHeadsOf(ended, now) {
      for (const lane of ended) lanes.proceed(lane, { now, next: false });
    },
    *moved(deliveries, to) {
      for (const delivery of deliveries) {
        counts.deliveryMoved(delivery, delivery.status, to);
        failures.forget(delivery.id);
      }
      const ids = deliveries.map(({ id }) => id);
      yield* endHolds(sqliteDialect, ids, nothingToDo);
    },
  };
}

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
