/** Deliveries as rows of a table. */
import type { DeliveryView } from '../../view/delivery-view.ts';
import { readableTime } from './format.ts';
import type { Column, Tone } from './table.ts';

/** The table columns of a list of deliveries. */
export const deliveryColumns: readonly Column<DeliveryView>[] = [
  { heading: 'id', value: (delivery) => delivery.id },
  { heading: 'event', value: (delivery) => delivery.event_id },
  { heading: 'handler', value: handlerName },
  { heading: 'kind', shrinks: 'start', enough: 24, optional: true, value: (delivery) => delivery.kind },
  { heading: 'subject', value: (delivery) => delivery.subject },
  { heading: 'status', value: ({ status }) => status, tone: ({ status }) => statusTone(status) },
  { heading: 'attempts', align: 'right', optional: true, value: (delivery) => delivery.attempts },
  { heading: 'replay', optional: true, value: (delivery) => delivery.replay },
  {
    heading: 'when',
    optional: true,
    value: (delivery) => readableTime(delivery.finished_at ?? delivery.due_at),
  },
  {
    heading: 'last error',
    shrinks: true,
    enough: 24,
    value: (delivery) => delivery.waits_for ?? delivery.last_error,
  },
];

/** How a status stands out: a dead letter waits for an operator. */
function statusTone(status: DeliveryView['status']): Tone | null {
  return status === 'dead' ? 'alarm' : null;
}

/** The handler of a delivery, followed by the effect if it is one. */
export function handlerName({ handler, effect }: Pick<DeliveryView, 'handler' | 'effect'>): string {
  return effect === null ? handler : `${handler} ${effect}`;
}
