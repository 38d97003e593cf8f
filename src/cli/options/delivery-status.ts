import type { DeliveryStatus } from '../../store/queries.ts';

export const deliveryStatuses: readonly DeliveryStatus[] = [
  'pending',
  'running',
  'succeeded',
  'dead',
  'skipped',
];
