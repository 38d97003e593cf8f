/** What the recognition of an event does in SQLite's own way: at once, inside the transaction of the store's thread. */
import type { RecognitionParts } from '../../shared/events/recognize.ts';
import type { EnqueueDelivery } from '../deliveries/enqueue.ts';
import type { RowCounts } from '../statistics/row-counts.ts';
import type { SubjectRows } from './subjects.ts';

interface Deps {
  readonly subjects: Pick<SubjectRows, 'find' | 'insertForNextEvent'>;
  readonly counts: Pick<RowCounts, 'eventMoved'>;
  readonly enqueue: EnqueueDelivery;
}

/* oxlint-disable require-yield -- what runs at once is no step */
export function createRecognitionParts({ subjects, counts, enqueue }: Deps): RecognitionParts {
  return {
    *subjectOf({ delivery: { source }, subject, formerId, version }) {
      const known = subjects.find(source, subject, formerId);
      if (known !== undefined) return known;
      const id = subjects.insertForNextEvent(source, subject, version);
      return { id, latest_event: null, latest_version: version, erased: 0, reconciled: null };
    },
    *enqueue(deliveries, now) {
      return deliveries.map((delivery) => enqueue(delivery, now));
    },
    *recognized({ kind, delivery }, { from, to }) {
      counts.eventMoved(
        { kind, recognized: 0, verdict: from },
        { kind, recognized: 1, verdict: to },
        delivery.receivedAt,
      );
    },
  };
}
