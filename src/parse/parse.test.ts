import { describe, expect, test } from 'vitest';
import { eventKinds } from '../contract/catalogue.ts';
import type { ParsedEvent } from '../event/event.ts';
import type { RejectedDelivery } from '../event/delivery.ts';
import { sampleData } from '../testing/sample-data.ts';
import { parsedEvent, verifiedDelivery } from '../../test/support/verified-delivery.ts';
import { createParse } from './parse.ts';
import { specification } from '../contract/specification.ts';

const parse = createParse(specification);
const parsed = (envelope: unknown): ParsedEvent => parsedEvent(JSON.stringify(envelope));

function rejected(envelope: unknown): RejectedDelivery {
  const result = parse(verifiedDelivery(JSON.stringify(envelope)));
  if (result.stage === 'parsed') throw new Error('was parsed');
  return result;
}

const charge = sampleData('charge.updated');

describe('an event of the contract', () => {
  test.each(eventKinds)('recognizes %s, and keeps its data unchanged', (kind) => {
    const data = sampleData(kind);
    expect(parsed({ type: kind, data })).toMatchObject({ stage: 'parsed', kind, recognized: true, data });
  });

  test('contains its delivery', () => {
    const delivery = verifiedDelivery(JSON.stringify({ type: 'charge.updated', data: charge }));
    expect(parse(delivery)).toMatchObject({ stage: 'parsed', delivery });
  });

  test('keeps unknown fields, and ignores members beside type and data', () => {
    const data = { ...charge, discount: { until: '2027-01-01' } };
    expect(parsed({ type: 'charge.updated', data, sent_at: 'now' }).data).toEqual(data);
  });

  test('is flagged, not rejected, when a tax id has wrong check digits', () => {
    const company = { ...charge.company, tax_id: '11222333000182' };
    expect(parsed({ type: 'charge.updated', data: { ...charge, company } }).flags).toEqual(['check-digits']);
    expect(parsed({ type: 'charge.updated', data: charge }).flags).toEqual([]);
  });
});

describe('an event of an unrecognized kind', () => {
  test.each([{ id: 1 }, [], 'text', 0, false, null])('is accepted with data %j', (data) => {
    expect(parsed({ type: 'user.login.failed', data })).toMatchObject({
      kind: 'user.login.failed',
      recognized: false,
      flags: ['unrecognized'],
      data,
    });
  });

  test.each(['toString', '__proto__', 'constructor', 'charge.updated ', 'CHARGE.UPDATED', 'übel', '💥'])(
    'is accepted with any name: %s',
    (type) => {
      expect(parsed({ type, data: {} })).toMatchObject({ kind: type, recognized: false });
    },
  );
});

describe('data that does not match its kind', () => {
  test('is invalid, with the path in the envelope and the expected type', () => {
    const result = rejected({ type: 'charge.updated', data: { ...charge, amount: '101.65' } });
    expect(result).toMatchObject({
      reason: 'invalid',
      kind: 'charge.updated',
      message: 'The data does not match charge.updated: 1 issue',
      issues: [{ path: 'data.amount', message: 'expected a number (reais), received a string' }],
    });
  });

  test('names its subject where the data does', () => {
    const subjectOf = (data: object) => rejected({ type: 'charge.updated', data }).subject;
    expect(subjectOf({ id: 118, amount: 'twelve' })).toBe('charge:118');
    expect(subjectOf({ id: 'Maria' })).toBe(null);
    expect([subjectOf({ amount: 1 }), subjectOf({ id: {} }), subjectOf({ id: 'a\u0000' })]).toEqual([
      null,
      null,
      null,
    ]);
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

  test('quotes unusual names in paths, and cuts long paths', () => {
    const sample = sampleData('traffic-violation.indication.updated');
    const vars = { 'driver name': 1, [`k${'x'.repeat(5_000)}`]: 1 };
    const { issues } = rejected({ type: 'traffic-violation.indication.updated', data: { ...sample, vars } });
    expect(issues[0]?.path).toBe('data.vars["driver name"]');
    expect(issues[1]?.path).toHaveLength(201);
  });

  test.each([
    [100, /: 100 issues$/],
    [20_000, /: more than 100 issues$/],
  ])('lists at most twenty of %i issues, and counts up to a hundred', (length, message) => {
    const vars = Object.fromEntries(Array.from({ length }, (_, at) => [`v${String(at)}`, at]));
    const sample = sampleData('traffic-violation.indication.updated');
    const result = rejected({ type: 'traffic-violation.indication.updated', data: { ...sample, vars } });
    expect(result.issues).toHaveLength(20);
    expect(result.issues[0]?.path).toBe('data.vars.v0');
    expect(result.message).toMatch(message);
  });

  test.each([
    [
      'in an unknown field',
      { type: 'charge.updated', data: { ...charge, more: [{ n: '#' }] } },
      'data.more[0].n',
    ],
    ['of an unrecognized kind', { type: 'a.b', data: { n: '#' } }, 'data.n'],
    ['as the whole data', { type: 'a.b', data: '#' }, 'data'],
  ])('reports the path of a number too large for a double, %s', (_name, body, path) => {
    for (const number of ['1e400', '-1e400', '9'.repeat(1_000)]) {
      const result = parse(verifiedDelivery(JSON.stringify(body).replace('"#"', number)));
      expect(result).toMatchObject({
        reason: 'invalid',
        kind: body.type,
        message: `The data of ${body.type} contains a number that is too large`,
        issues: [{ path }],
      });
    }
  });

  test('never repeats a value', () => {
    const secret = 'ana.souza@example.com';
    const data = { ...charge, amount: secret, status: { secret }, date: secret, company: [secret] };
    const result = rejected({ type: 'charge.updated', data });
    expect(result.issues.length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify([result.message, result.issues])).not.toContain('ana.souza');
  });
});

describe('a body that is not an envelope', () => {
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
    [{ type: 'a\u001b[2Jb', data: {} }, 'type contains control characters'],
    [{ type: 'a\ud800', data: {} }, 'type contains control characters'],
  ])('%j is malformed', (body, message) => {
    expect(rejected(body)).toMatchObject({
      reason: 'malformed',
      kind: null,
      message: `The body is not an envelope: ${message}`,
      issues: [],
    });
  });

  test('has a kind when only data is missing', () => {
    expect(rejected({ type: 'charge.updated' })).toMatchObject({
      reason: 'malformed',
      kind: 'charge.updated',
      message: 'The body is not an envelope: data is missing',
    });
  });

  test('does not inherit members from __proto__', () => {
    const result = parse(verifiedDelivery('{"__proto__":{"type":"charge.updated","data":{}}}'));
    expect(result).toMatchObject({
      reason: 'malformed',
      message: expect.stringContaining('type is missing'),
    });
  });
});
