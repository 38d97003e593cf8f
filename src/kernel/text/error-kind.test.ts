import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errorKind, fingerprintOf } from './error-kind.ts';

describe('the kind of an error', () => {
  it.each([
    ['ids and numbers', 'no order 4711 for charge 7gk2m9-12', 'no order 99 for charge 7gk2m9-3'],
    ['quoted parts', 'the field "tax_id" of \'Ana\' is `x`', 'the field "plate" of \'Rui\' is `y`'],
    [
      'personal data',
      'Error: ana@example.org (529.982.247-25) exists',
      'Error: rui@x.org (11144477735) exists',
    ],
    ['names', 'Driver Ana da Silva is blocked', 'Driver Rui Costa e Souza is blocked'],
    ['addresses', 'ECONNREFUSED 10.0.0.7:8080', 'ECONNREFUSED 10.0.0.9:443'],
    [
      'paths of URLs',
      'got no answer from https://a.test/orders/7?x=1',
      'got no answer from https://a.test/o/8',
    ],
    [
      'the line of code',
      'Error: closed (at handle (/srv/a.ts:3:9))',
      'Error: closed (at handle (/srv/a.ts:8:1))',
    ],
    ['the count of attempts', 'the process ended during attempt 2', 'the process ended during attempt 3'],
  ])('is the same for other %s', (_what, one, other) => {
    expect(errorKind(one)).toBe(errorKind(other));
  });

  it.each([
    ['class', 'TypeError: broken', 'RangeError: broken'],
    ['code', 'Error [ECONNRESET]: failed', 'Error [ECONNREFUSED]: failed'],
    ['status', 'HTTP 503 Service Unavailable', 'HTTP 404 Not Found'],
    ['text', 'the ledger is closed', 'the ledger is full'],
    ['host', 'no answer from https://a.test/x', 'no answer from https://b.test/x'],
  ])('differs with the %s', (_what, one, other) => {
    expect(errorKind(one)).not.toBe(errorKind(other));
  });

  it('can be read', () => {
    expect(errorKind('Error [503]: the ledger of company 12 answered HTTP 503 (at x (/a.ts:1:1))')).toBe(
      'Error [503]: the ledger of company … answered HTTP 503',
    );
  });

  it('has no digits of an id, whatever the error is, and takes little time and room', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 2000 }), fc.nat(), (text, id) => {
        const kind = errorKind(`no such order ${text} order-${String(id)}x`);
        expect(kind.length).toBeLessThanOrEqual(201);
        expect(kind).not.toContain(`order-${String(id)}x`);
      }),
    );
  });

  it('does not depend on how often it was folded', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (one, other) => {
        expect(errorKind(`charge ${String(one)} of ${String(other)} is unknown`)).toBe(
          'charge … of … is unknown',
        );
      }),
    );
  });
});

it('a fingerprint is the same in every process', () => {
  expect(fingerprintOf('the ledger is closed')).toBe('2900685dc696');
});
