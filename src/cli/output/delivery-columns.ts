import type { DeliveryView } from '../../view/delivery-view.ts';
import { readableTime } from './format.ts';
import type { Column } from './table.ts';

/** The table columns of a list of deliveries. */
export const deliveryColumns: readonly Column<DeliveryView>[] = [
  { heading: 'id', value: (delivery) => delivery.id },
  { heading: 'event', value: (delivery) => delivery.event_id },
  { heading: 'handler', shrinks: true, value: handlerName },
  { heading: 'kind', shrinks: true, optional: true, value: (delivery) => delivery.kind },
  { heading: 'subject', shrinks: true, value: (delivery) => delivery.subject },
  { heading: 'status', value: (delivery) => delivery.status },
  { heading: 'attempts', align: 'right', value: (delivery) => delivery.attempts },
  { heading: 'replay', optional: true, value: (delivery) => delivery.replay },
  {
    heading: 'when',
    optional: true,
    value: (delivery) => readableTime(delivery.finished_at ?? delivery.due_at),
  },
  { heading: 'last error', shrinks: true, value: (delivery) => delivery.last_error },
];

/** The handler of a delivery, followed by the effect if it is one. */
export function handlerName({ handler, effect }: Pick<DeliveryView, 'handler' | 'effect'>): string {
  return effect === null ? handler : `${handler} ${effect}`;
}
