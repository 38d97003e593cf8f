import { z } from 'zod';
import { maskPersonalData } from '../contract/personal-data.ts';
import type { StoredDelivery } from '../event/stored-event.ts';
import type { DeliveryRecord } from '../store/queries.ts';
import { deliverySchema, deliveryView } from './delivery-view.ts';
import { eventSchema, eventView } from './event-view.ts';
import { storedEnvelope } from './stored-envelope.ts';
import type { Unmasking } from './unmasking.ts';

export const eventDetailSchema = eventSchema
  .extend({
    data: z
      .unknown()
      .describe('The payload, with personal data masked when `masked`; null once it is purged.'),
    masked: z.boolean().describe('Whether personal data in `data` is masked.'),
    body_bytes: z.int().min(0).nullable().describe('Size of the body as received; null once it is purged.'),
    headers: z.record(z.string(), z.string()).describe('The request headers that were kept.'),
    deliveries: z.array(deliverySchema).describe('What became of it, handler by handler.'),
  })
  .meta({ id: 'EventDetail', description: 'An event with its payload and its deliveries.' });

export type EventDetailView = z.infer<typeof eventDetailSchema>;

export function eventDetailView(
  event: StoredDelivery,
  deliveries: readonly DeliveryRecord[],
  { unmask }: Unmasking,
): EventDetailView {
  const data = event.body === null ? null : (storedEnvelope(event.body)?.data ?? null);
  return {
    ...eventView(event),
    data: unmask ? data : maskPersonalData(event.kind, data),
    masked: !unmask,
    body_bytes: event.body?.byteLength ?? null,
    headers: { ...event.headers },
    deliveries: deliveries.map(deliveryView),
  };
}
