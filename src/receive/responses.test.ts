import { describe, expect, test } from 'vitest';
import type { RejectedReceipt } from '../event/receipt.ts';
import { PortariaError, type ErrorCode } from '../kernel/errors.ts';
import { responseToError, responseToReceipt } from './responses.ts';

describe('the response to a quarantined body', () => {
  const malformed: RejectedReceipt = {
    status: 'rejected',
    reason: 'malformed',
    id: 'q1',
    kind: null,
    message: 'The body is not UTF-8',
    issues: [],
  };
  const invalid: RejectedReceipt = {
    status: 'rejected',
    reason: 'invalid',
    id: 'q2',
    kind: 'charge.updated',
    message: 'The data does not fit',
    issues: [{ path: 'data.amount', message: 'is required' }],
  };

  test.each([
    [malformed, 'reject', 400, undefined],
    [malformed, 'accept', 400, undefined],
    [invalid, 'reject', 422, undefined],
    [invalid, 'accept', 503, '300'],
  ] as const)(
    'is an error without an id if the quarantine is full',
    (receipt, onInvalid, status, retryAfter) => {
      const response = responseToReceipt({ ...receipt, id: null }, onInvalid);
      expect(response).toMatchObject({ status, result: 'quarantine-full', id: null });
      expect(response.headers['retry-after']).toBe(retryAfter);
      expect(response.body).toMatchObject({
        message: `${receipt.message}. It was not kept, because the quarantine is full`,
      });
      expect(response.body).not.toHaveProperty('id');
    },
  );
});

describe('the response to an error', () => {
  test.each<[ErrorCode, number]>([
    ['not-verified', 401],
    ['unknown-source', 404],
    ['body-too-large', 413],
    ['unsupported-encoding', 415],
  ])('%s is %i, with the reason for the sender', (code, status) => {
    const response = responseToError(new PortariaError(code, 'The reason'));
    expect(response).toMatchObject({ status, result: code, headers: {}, isFailure: false });
    expect(response.body).toMatchObject({ message: 'The reason' });
  });

  test('body-incomplete is 408 and closes the connection', () => {
    const response = responseToError(new PortariaError('body-incomplete', 'The reason'));
    expect(response).toMatchObject({ status: 408, headers: { connection: 'close' }, isFailure: false });
    expect(response.body).toMatchObject({ message: 'The reason' });
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
  ])('%s is 503 with Retry-After, and does not reveal the path of the database', (code) => {
    const response = responseToError(new PortariaError(code, 'disk I/O error in /data/portaria.db'));
    expect(response).toMatchObject({ status: 503, result: code, isFailure: true });
    expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(JSON.stringify(response.body)).not.toContain('/data');
  });

  test.each<ErrorCode>(['stopping', 'overloaded'])('%s is 503 with Retry-After, and no failure', (code) => {
    const response = responseToError(new PortariaError(code, 'Not now'));
    expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '5' }, isFailure: false });
  });

  test.each([
    [new TypeError('secret detail'), 'internal'],
    ['secret detail', 'internal'],
    [undefined, 'internal'],
    [new PortariaError('not-found', 'secret detail'), 'not-found'],
  ])('any other error is 500 and reveals nothing: %s', (error, result) => {
    const response = responseToError(error);
    expect(response).toMatchObject({ status: 500, result, isFailure: true });
    expect(JSON.stringify(response.body)).not.toContain('detail');
  });
});
