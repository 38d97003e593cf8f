import { describe, expect, test } from 'vitest';
import type { RejectedReceipt } from '../event/receipt.ts';
import { PortariaError, type ErrorCode } from '../kernel/errors.ts';
import { responseToError, responseToReceipt } from './responses.ts';

const known = { id: 'abc123-1', kind: 'charge.updated' } as const;

describe('the response to an event', () => {
  test.each(['accepted', 'stale', 'unrecognized'] as const)('%s is 202', (status) => {
    const response = responseToReceipt({ status, ...known, flags: [] }, 'reject');
    expect(response).toMatchObject({ status: 202, result: status, ...known });
    expect(JSON.stringify(response.body)).toBe(
      `{"status":"${status}","id":"abc123-1","kind":"charge.updated"}`,
    );
  });

  test('lists flags, if there are any', () => {
    const { body } = responseToReceipt(
      { status: 'accepted', ...known, flags: ['ambiguous', 'check-digits'] },
      'reject',
    );
    expect(JSON.stringify(body)).toBe(
      '{"status":"accepted","id":"abc123-1","kind":"charge.updated","flags":["ambiguous","check-digits"]}',
    );
  });

  test('omits the flag `unrecognized`, because the status says it', () => {
    const alone = responseToReceipt({ status: 'unrecognized', ...known, flags: ['unrecognized'] }, 'reject');
    expect(alone.body).not.toHaveProperty('flags');
    const flags = ['unrecognized', 'ambiguous'] as const;
    expect(responseToReceipt({ status: 'unrecognized', ...known, flags }, 'reject').body).toMatchObject({
      flags: ['ambiguous'],
    });
  });

  test('a repeat is 200 with the id of the first event', () => {
    const response = responseToReceipt({ status: 'duplicate', ...known }, 'reject');
    expect(response).toMatchObject({ status: 200, result: 'duplicate', ...known });
    expect(JSON.stringify(response.body)).toBe('{"status":"duplicate","id":"abc123-1"}');
  });
});

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

  test.each(['reject', 'accept'] as const)('is 400 if malformed (on invalid: %s)', (onInvalid) => {
    const response = responseToReceipt(malformed, onInvalid);
    expect(response).toMatchObject({ status: 400, result: 'quarantined', id: 'q1' });
    expect(JSON.stringify(response.body)).toBe(
      '{"error":"Bad Request","message":"The body is not UTF-8","id":"q1"}',
    );
  });

  test('is 422 with the issues if it does not match its schema', () => {
    const response = responseToReceipt(invalid, 'reject');
    expect(response).toMatchObject({ status: 422, result: 'quarantined', id: 'q2', kind: 'charge.updated' });
    expect(JSON.stringify(response.body)).toBe(
      '{"error":"Unprocessable Entity","message":"The data does not fit","issues":[{"path":"data.amount","message":"is required"}],"id":"q2"}',
    );
  });

  test('is 202 for senders that give up on errors', () => {
    const response = responseToReceipt(invalid, 'accept');
    expect(response).toMatchObject({ status: 202, result: 'quarantined', id: 'q2' });
    expect(JSON.stringify(response.body)).toBe(
      '{"status":"quarantined","id":"q2","kind":"charge.updated","message":"The data does not fit","issues":[{"path":"data.amount","message":"is required"}]}',
    );
  });

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
