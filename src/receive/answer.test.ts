/** What a receipt looks like to the sender, to the letter. */
import { describe, expect, test } from 'vitest';
import type { RejectedReceipt } from '../event/receipt.ts';
import { answerTo, answerToRefusal, errorBody } from './answer.ts';

const known = { id: 'abc123-1', kind: 'charge.updated' } as const;

describe('events', () => {
  test.each(['accepted', 'stale', 'unrecognized'] as const)('%s answers 202', (status) => {
    const answer = answerTo({ status, ...known, flags: [] }, 'reject');
    expect(answer).toMatchObject({ status: 202, result: status, ...known });
    expect(JSON.stringify(answer.body)).toBe(
      `{"status":"${status}","id":"abc123-1","kind":"charge.updated"}`,
    );
  });

  test('flags are listed when there are any', () => {
    const { body } = answerTo(
      { status: 'accepted', ...known, flags: ['ambiguous', 'check-digits'] },
      'reject',
    );
    expect(JSON.stringify(body)).toBe(
      '{"status":"accepted","id":"abc123-1","kind":"charge.updated","flags":["ambiguous","check-digits"]}',
    );
  });

  test('that a kind is unrecognized is said once, by the status', () => {
    const alone = answerTo({ status: 'unrecognized', ...known, flags: ['unrecognized'] }, 'reject');
    expect(alone.body).not.toHaveProperty('flags');
    const flags = ['unrecognized', 'ambiguous'] as const;
    expect(answerTo({ status: 'unrecognized', ...known, flags }, 'reject').body).toMatchObject({
      flags: ['ambiguous'],
    });
  });

  test('a repeat answers 200 with the id of the first', () => {
    const answer = answerTo({ status: 'duplicate', ...known }, 'reject');
    expect(answer).toMatchObject({ status: 200, result: 'duplicate', ...known });
    expect(JSON.stringify(answer.body)).toBe('{"status":"duplicate","id":"abc123-1"}');
  });
});

describe('quarantine', () => {
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

  test.each(['reject', 'accept'] as const)('what is malformed answers 400 (on invalid: %s)', (onInvalid) => {
    const answer = answerTo(malformed, onInvalid);
    expect(answer).toMatchObject({ status: 400, result: 'quarantined', id: 'q1' });
    expect(JSON.stringify(answer.body)).toBe(
      '{"error":"Bad Request","message":"The body is not UTF-8","id":"q1"}',
    );
  });

  test('what does not fit its schema answers 422 with its issues', () => {
    const answer = answerTo(invalid, 'reject');
    expect(answer).toMatchObject({ status: 422, result: 'quarantined', id: 'q2', kind: 'charge.updated' });
    expect(JSON.stringify(answer.body)).toBe(
      '{"error":"Unprocessable Entity","message":"The data does not fit","issues":[{"path":"data.amount","message":"is required"}],"id":"q2"}',
    );
  });

  test.each([
    [malformed, 'reject', 400, undefined],
    [malformed, 'accept', 400, undefined],
    [invalid, 'reject', 422, undefined],
    [invalid, 'accept', 503, '300'],
  ] as const)(
    'that is full keeps nothing and never says otherwise',
    (receipt, onInvalid, status, retryAfter) => {
      const answer = answerTo({ ...receipt, id: null }, onInvalid);
      expect(answer).toMatchObject({ status, result: 'quarantine-full', id: null });
      expect(answer.headers['retry-after']).toBe(retryAfter);
      expect(answer.body).toMatchObject({
        message: `${receipt.message}. It is not kept, because the quarantine is full`,
      });
      expect(answer.body).not.toHaveProperty('id');
    },
  );

  test('or 202, for senders that give up on errors', () => {
    const answer = answerTo(invalid, 'accept');
    expect(answer).toMatchObject({ status: 202, result: 'quarantined', id: 'q2' });
    expect(JSON.stringify(answer.body)).toBe(
      '{"status":"quarantined","id":"q2","kind":"charge.updated","message":"The data does not fit","issues":[{"path":"data.amount","message":"is required"}]}',
    );
  });
});

describe('refusals', () => {
  const refusal = { result: 'x', message: 'Why', isTrouble: false } as const;

  test('say when to try again, in seconds', () => {
    expect(answerToRefusal({ ...refusal, status: 503, retryAfter: 30 }).headers).toEqual({
      'retry-after': '30',
    });
  });

  test('of a slow body end its connection', () => {
    expect(answerToRefusal({ ...refusal, status: 408 }).headers).toEqual({ connection: 'close' });
  });

  test.each([
    [401, 'Unauthorized'],
    [404, 'Not Found'],
    [405, 'Method Not Allowed'],
    [408, 'Request Timeout'],
    [413, 'Payload Too Large'],
    [415, 'Unsupported Media Type'],
    [500, 'Internal Server Error'],
    [503, 'Service Unavailable'],
  ])('of status %i are labelled %s', (status, error) => {
    expect(errorBody(status, 'Why')).toEqual({ error, message: 'Why' });
  });
});
