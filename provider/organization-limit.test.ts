import { expect, test } from 'vitest';
import { createOrganizationLimit } from './organization-limit.ts';

const open = () => createOrganizationLimit({ max: 2, what: 'streams', retryAfterSeconds: 7 });

test('limits each organization by itself', () => {
  const { acquire } = open();
  acquire(1);
  acquire(1);

  expect(() => acquire(1)).toThrow(
    expect.objectContaining({
      status: 429,
      message: 'An organization can have at most 2 streams at a time',
      headers: { 'retry-after': '7' },
    }),
  );
  expect(() => acquire(2)).not.toThrow();
});

test('counts an operation that is released twice only once', () => {
  const { acquire } = open();
  acquire(1);
  const release = acquire(1);
  release();
  release();

  acquire(1);
  expect(() => acquire(1)).toThrow('at most 2 streams');
});
