import { expect, test } from 'vitest';
import type { DeliveryRecord } from '../store/queries.ts';
import { deliveryView } from './delivery-view.ts';

const masked = { unmask: false };

const record: DeliveryRecord = {
  id: 'd1',
  eventId: 'abcdef-1',
  kind: 'company.updated',
  subject: { family: 'company', id: '1' },
  source: 'default',
  handler: 'anyone',
  effect: null,
  replay: null,
  status: 'running',
  attempts: 0,
  lastError: null,
  rateUntil: null,
  dueAt: null,
  finishedAt: null,
  pausedBy: null,
};

test('a running delivery has one attempt at least, also before the store counts it', () => {
  expect(deliveryView(record, masked).attempts).toBe(1);
  expect(deliveryView({ ...record, attempts: 3 }, masked).attempts).toBe(3);
  expect(deliveryView({ ...record, status: 'pending' }, masked).attempts).toBe(0);
});
