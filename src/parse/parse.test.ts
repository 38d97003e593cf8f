import { describe, expect, test } from 'vitest';
import { eventKinds } from '../contract/catalogue.ts';
import type { ParsedEvent } from '../event/parsed-event.ts';
import type { RejectedDelivery } from '../event/rejected-delivery.ts';
import { sampleData } from '../testing/sample-data.ts';
import { verifiedDelivery } from '../../test/support/verified-delivery.ts';
import { parse } from './parse.ts';

function parsed(envelope: unknown): ParsedEvent {
  const result = parse(verifiedDelivery(JSON.stringify(envelope)));
  if (result.stage === 'rejected') throw new Error(`${result.message} ${JSON.stringify(result.issues)}`);
  return result;
}

function rejected(envelope: unknown): RejectedDelivery {
  const result = parse(verifiedDelivery(JSON.stringify(envelope)));
  if (result.stage === 'parsed') throw new Error('was parsed');
  return result;
}

const charge = sampleData('charge.updated');

describe('an event of the contract', () => {
  test.each(eventKinds)('%s is recognized, its data as it came', (kind) => {
    const data = sampleData(kind);
    expect(parsed({ type: kind, data })).toMatchObject({ stage: 'parsed', kind, recognized: true, data });
  });

  test('carries its delivery along', () => {
    const delivery = verifiedDelivery(JSON.stringify({ type: 'charge.updated', data: charge }));
    expect(parse(delivery)).toMatchObject({ stage: 'parsed', delivery });
  });

  test('keeps fields that the contract does not know, and its own members beside type and data', () => {
    const data = { ...charge, discount: { until: '2027-01-01' } };
    expect(parsed({ type: 'charge.updated', data, sent_at: 'now' }).data).toEqual(data);
  });

  test('is flagged, not refused, when the check digits of a tax id do not fit', () => {
    const company = { ...charge.company, tax_id: '11222333000182' };
    expect(parsed({ type: 'charge.updated', data: { ...charge, company } }).flags).toEqual(['check-digits']);
    expect(parsed({ type: 'charge.updated', data: charge }).flags).toEqual([]);
  });
});

describe('an event of a kind that the contract does not know', () => {
  test.each([{ id: 1 }, [], 'text', 0, false, null])('is taken with data %j', (data) => {
    expect(parsed({ type: 'user.login.failed', data })).toMatchObject({
      kind: 'user.login.failed',
      recognized: false,
      flags: ['unrecognized'],
      data,
    });
  });

  test.each(['toString', '__proto__', 'constructor', 'charge.updated ', 'CHARGE.UPDATED', 'übel', '💥'])(
    'whatever it is called: %s',
    (type) => {
      expect(parsed({ type, data: {} })).toMatchObject({ kind: type, recognized: false });
    },
  );
});

describe('data that does not fit its kind', () => {
  test('is invalid, with the path from the envelope and what was expected', () => {
    const result = rejected({ type: 'charge.updated', data: { ...charge, amount: '101.65' } });
    expect(result).toMatchObject({
      reason: 'invalid',
      kind: 'charge.updated',
      message: 'The data does not fit charge.updated: 1 issue',
      issues: [{ path: 'data.amount', message: 'expected a number (reais), received a string' }],
    });
  });

  test('names nested paths', () => {
    const data = { ...charge, company: { ...charge.company, id: 'twelve' } };
    expect(rejected({ type: 'charge.updated', data }).issues.map(({ path }) => path)).toEqual([
      'data.company.id',
    ]);
  });

  test.each([null, [], 'text', 1, true])('must be an object, not %j', (data) => {
    const { reason, issues } = rejected({ type: 'charge.updated', data });
    expect(reason).toBe('invalid');
    expect(issues.map(({ path }) => path)).toEqual(['data']);
  });

  test('quotes paths that are not plain names, and cuts long ones', () => {
    const sample = sampleData('traffic-violation.indication.updated');
    const vars = { 'driver name': 1, [`k${'x'.repeat(5_000)}`]: 1 };
    const { issues } = rejected({ type: 'traffic-violation.indication.updated', data: { ...sample, vars } });
    expect(issues[0]?.path).toBe('data.vars["driver name"]');
    expect(issues[1]?.path).toHaveLength(201);
  });

  test('lists at most twenty issues, and tells how many there are', () => {
    const vars = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`v${String(at)}`, at]));
    const sample = sampleData('traffic-violation.indication.updated');
    const result = rejected({ type: 'traffic-violation.indication.updated', data: { ...sample, vars } });
    expect(result.issues).toHaveLength(20);
    expect(result.message).toMatch(/: 100 issues$/);
  });

  test('stops at a hundred issues, and says that there are more', () => {
    const vars = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`v${String(at)}`, at]));
    const sample = sampleData('traffic-violation.indication.updated');
    const result = rejected({ type: 'traffic-violation.indication.updated', data: { ...sample, vars } });
    expect(result.issues).toHaveLength(20);
    expect(result.issues[0]?.path).toBe('data.vars.v0');
    expect(result.message).toMatch(/: more than 100 issues$/);
  });

  test.each([
    [
      'where nobody knows it',
      { type: 'charge.updated', data: { ...charge, more: [{ n: '#' }] } },
      'data.more[0].n',
    ],
    ['of a kind that nobody knows', { type: 'a.b', data: { n: '#' } }, 'data.n'],
    ['as all there is', { type: 'a.b', data: '#' }, 'data'],
  ])('a number that no double holds, %s, has a path', (_name, body, path) => {
    for (const number of ['1e400', '-1e400', '9'.repeat(1_000)]) {
      const result = parse(verifiedDelivery(JSON.stringify(body).replace('"#"', number)));
      expect(result).toMatchObject({
        reason: 'invalid',
        kind: body.type,
        message: `The data of ${body.type} holds a number that is too large`,
        issues: [{ path }],
      });
    }
  });

  test('never shows a value', () => {
    const secret = 'ana.souza@example.com';
    const data = { ...charge, amount: secret, status: { secret }, date: secret, company: [secret] };
    const result = rejected({ type: 'charge.updated', data });
    expect(result.issues.length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify([result.message, result.issues])).not.toContain('ana.souza');
  });
});

describe('what is not an envelope', () => {
  test.each([
    [[], 'expected an object with type and data'],
    [null, 'expected an object with type and data'],
    ['text', 'expected an object with type and data'],
    [{}, 'type is missing'],
    [{ data: {} }, 'type is missing'],
    [{ type: null, data: {} }, 'type must be a non-empty string'],
    [{ type: '', data: {} }, 'type must be a non-empty string'],
    [{ type: 7, data: {} }, 'type must be a non-empty string'],
    [{ type: 'x'.repeat(201), data: {} }, 'type is longer than 200 characters'],
    [{ type: 'a\u001b[2Jb', data: {} }, 'type holds control characters'],
    [{ type: 'a\ud800', data: {} }, 'type holds control characters'],
  ])('%j is malformed', (body, message) => {
    expect(rejected(body)).toMatchObject({
      reason: 'malformed',
      kind: null,
      message: `The body is not an envelope: ${message}`,
      issues: [],
    });
  });

  test('is told by its kind when only data is missing', () => {
    expect(rejected({ type: 'charge.updated' })).toMatchObject({
      reason: 'malformed',
      kind: 'charge.updated',
      message: 'The body is not an envelope: data is missing',
    });
  });

  test('members of the prototype are no members', () => {
    const result = parse(verifiedDelivery('{"__proto__":{"type":"charge.updated","data":{}}}'));
    expect(result).toMatchObject({
      reason: 'malformed',
      message: expect.stringContaining('type is missing'),
    });
  });
});
