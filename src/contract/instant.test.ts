import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInstant, normalizeInstant } from './instant.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';

const anyMillisecond = fc.integer({ min: Date.UTC(1000, 0), max: Date.UTC(9999, 0) });
const anyOffset = fc.record({ sign: fc.constantFrom(1, -1), minutes: fc.integer({ min: 0, max: 1439 }) });

describe('normalizeInstant', () => {
  it.each([
    ['2026-03-09T14:05:00Z', '2026-03-09T14:05:00.000000000Z'],
    ['2026-03-09T14:05:00', '2026-03-09T14:05:00.000000000Z'],
    ['2026-03-09T14:05Z', '2026-03-09T14:05:00.000000000Z'],
    ['2026-03-09T14:05:00.5Z', '2026-03-09T14:05:00.500000000Z'],
    ['2026-03-09T14:05:00,5Z', '2026-03-09T14:05:00.500000000Z'],
    ['2026-03-09T14:05:00.123456Z', '2026-03-09T14:05:00.123456000Z'],
    ['2026-03-09T14:05:00.1234567899999Z', '2026-03-09T14:05:00.123456789Z'],
    ['2026-03-09T14:05:00-03:00', '2026-03-09T17:05:00.000000000Z'],
    ['2026-03-09T14:05:00-0300', '2026-03-09T17:05:00.000000000Z'],
    ['2026-03-09T14:05:00-03', '2026-03-09T17:05:00.000000000Z'],
    ['2026-03-09T22:05:00.000001-03:30', '2026-03-10T01:35:00.000001000Z'],
    ['2028-02-29T23:59:59+00:00', '2028-02-29T23:59:59.000000000Z'],
    ['2027-01-01T00:30:00+01:00', '2026-12-31T23:30:00.000000000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000000000Z'],
    ['0050-01-01T00:00:00Z', '0050-01-01T00:00:00.000000000Z'],
  ])('normalizes %s to %s', (text, instant) => {
    expect(normalizeInstant(text)).toBe(instant);
    expect(isInstant(text)).toBe(true);
  });

  it.each([
    '',
    'yesterday',
    '2026-03-09',
    '2026-03-09 14:05:00',
    '2026-03-09T14',
    '20260309T140500Z',
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-03-09T24:00:00Z',
    '2026-03-09T14:60:00Z',
    '2026-03-09T14:05:61Z',
    '2026-03-09T14:05:00.Z',
    '2026-03-09T14:05:00+24:00',
    '2026-03-09T14:05:00+03:60',
    '2026-03-09T14:05:00Z\n',
    ' 2026-03-09T14:05:00Z',
    '٢٠٢٦-03-09T14:05:00Z',
    '+02026-03-09T14:05:00Z',
    '9999-12-31T23:00:00-03:00',
    '0000-01-01T00:00:00+03:00',
  ])('rejects %j', (text) => {
    expect(normalizeInstant(text)).toBeNull();
    expect(isInstant(text)).toBe(false);
  });

  it('treats Z and +00:00 alike, after any text', () => {
    const part = (digits: number, max: number) =>
      fc.oneof(
        { weight: 9, arbitrary: fc.nat(max).map((value) => String(value).padStart(digits, '0')) },
        fc.string({ maxLength: 4 }),
      );
    const mark = (usual: string) => fc.oneof({ weight: 19, arbitrary: fc.constant(usual) }, fc.string());
    const fraction = fc.oneof(
      fc.constant(''),
      fc.nat().map((digits) => `.${String(digits)}`),
      fc.string(),
    );
    const almostInstant = fc
      .tuple(
        ...[part(4, 9999), mark('-'), part(2, 14), mark('-'), part(2, 32), mark('T')],
        ...[part(2, 25), mark(':'), part(2, 61), mark(':'), part(2, 61), fraction],
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(almostInstant, (text) => {
        expect(normalizeInstant(`${text}Z`)).toBe(normalizeInstant(`${text}+00:00`));
        expect(isInstant(`${text}Z`)).toBe(isInstant(`${text}+00:00`));
      }),
      { numRuns: propertyRuns(5_000) },
    );
  });

  it('orders strings as their instants, with any offsets', () => {
    fc.assert(
      fc.property(anyMillisecond, anyOffset, anyMillisecond, anyOffset, (a, offsetA, b, offsetB) => {
        const [left, right] = [normalizeInstant(written(a, offsetA)), normalizeInstant(written(b, offsetB))];
        expect(left).not.toBeNull();
        expect(Math.sign((left ?? '') < (right ?? '') ? -1 : left === right ? 0 : 1)).toBe(Math.sign(a - b));
      }),
    );
  });

  it('returns the instant that Date reads, and is idempotent', () => {
    fc.assert(
      fc.property(anyMillisecond, anyOffset, (millisecond, offset) => {
        const instant = normalizeInstant(written(millisecond, offset)) ?? '';
        expect(Date.parse(instant)).toBe(millisecond);
        expect(normalizeInstant(instant)).toBe(instant);
      }),
    );
  });
});

/** Writes the instant as local time with an offset. */
function written(millisecond: number, offset: { sign: number; minutes: number }): string {
  const local = new Date(millisecond + offset.sign * offset.minutes * 60_000).toISOString().slice(0, -1);
  const two = (value: number): string => String(value).padStart(2, '0');
  const sign = offset.sign > 0 ? '+' : '-';
  return `${local}${sign}${two(Math.floor(offset.minutes / 60))}:${two(offset.minutes % 60)}`;
}
