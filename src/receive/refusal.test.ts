import { expect, test } from 'vitest';
import { PortariaError, type ErrorCode } from '../kernel/errors.ts';
import { refusalOf } from './refusal.ts';

test.each<[ErrorCode, number]>([
  ['not-verified', 401],
  ['unknown-source', 404],
  ['body-incomplete', 408],
  ['body-too-large', 413],
  ['unsupported-encoding', 415],
])('%s is the sender’s to mend: %i, with the reason', (code, status) => {
  const refusal = refusalOf(new PortariaError(code, 'The reason'));
  expect(refusal).toEqual({ status, result: code, message: 'The reason', isTrouble: false });
});

test.each<ErrorCode>([
  'store-full',
  'store-busy',
  'store-failed',
  'store-locked',
  'store-corrupt',
  'store-read-only',
  'store-newer',
  'store-unsupported',
])('%s is to be tried again, and is nobody’s business where the file lies', (code) => {
  const refusal = refusalOf(new PortariaError(code, 'disk I/O error in /data/portaria.db'));
  expect(refusal).toMatchObject({ status: 503, result: code, isTrouble: true });
  expect(refusal.retryAfter).toBeGreaterThanOrEqual(1);
  expect(refusal.message).not.toContain('/data');
});

test.each<ErrorCode>(['stopping', 'overloaded'])(
  '%s is to be tried again soon, and is no trouble',
  (code) => {
    const refusal = refusalOf(new PortariaError(code, 'Not now'));
    expect(refusal).toMatchObject({ status: 503, retryAfter: 5, isTrouble: false });
  },
);

test.each([
  [new TypeError('secret insides'), 'internal'],
  ['secret insides', 'internal'],
  [undefined, 'internal'],
  [new PortariaError('not-found', 'secret insides'), 'not-found'],
])('anything else is a defect of ours, of which nothing is told: %s', (error, result) => {
  const refusal = refusalOf(error);
  expect(refusal).toMatchObject({ status: 500, result, isTrouble: true });
  expect(refusal.message).not.toContain('insides');
});
