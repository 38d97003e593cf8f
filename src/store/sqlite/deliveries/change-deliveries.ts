/** What the change of deliveries does in SQLite's own way: at once, inside the transaction of the store's thread. */
import type { DeliveryParts } from '../../shared/deliveries/change-deliveries.ts';
import type { FailureRows } from '../failures/failure-rows.ts';
import { nothingToDo } from '../sql/dialect.ts';
import type { RowCounts } from '../statistics/row-counts.ts';
import type { Lanes } from './lanes.ts';

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
    },
  };
}
