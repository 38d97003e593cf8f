import { expect, test } from 'vitest';
import { createOrganizationSlots } from './organization-slots.ts';

const slots = () => createOrganizationSlots({ max: 2, what: 'streams', retryAfterSeconds: 7 });

test('each organization has places of its own', () => {
  const { take } = slots();
  take(1);
  take(1);

  expect(() => take(1)).toThrow(
    expect.objectContaining({
      status: 429,
      message: 'An organization has at most 2 streams at a time',
      headers: { 'retry-after': '7' },
    }),
  );
  expect(() => take(2)).not.toThrow();
});

test('a place that is given back twice is free once', () => {
  const { take } = slots();
  take(1);
  const leave = take(1);
  leave();
  leave();

  take(1);
  expect(() => take(1)).toThrow('at most 2 streams');
});
