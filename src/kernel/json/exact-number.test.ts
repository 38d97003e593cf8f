import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareNumbers, isJsonNumber } from './exact-number.ts';

describe('numbers as they are spelled', () => {
  it.each([
    ['1.10', '1.1', 0],
    ['12345678901234567890', '12345678901234567891', -1],
    ['0.1', '0.10000000000000000001', -1],
    ['-0', '0.00e7', 0],
    ['1e3', '1000', 0],
    ['1E+3', '999.999', 1],
    ['-1', '-2', 1],
    ['-1', '1', -1],
    ['100', '99', 1],
    ['0.001', '0.01', -1],
    ['1e-400', '0', 1],
  ])('%s compared with %s is %i', (one, other, order) => {
    expect(Math.sign(compareNumbers(one, other))).toBe(order);
    expect(Math.sign(compareNumbers(other, one))).toBe(order === 0 ? 0 : -order);
  });

  it('agree with whole numbers of any size, whatever the exponent', () => {
    const whole = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
    fc.assert(
      fc.property(whole, whole, fc.nat(5), (one, other, zeros) => {
        const shifted = `${String(other)}${'0'.repeat(zeros)}e-${String(zeros)}`;
        const order = one < other ? -1 : one > other ? 1 : 0;
        expect(Math.sign(compareNumbers(String(one), shifted))).toBe(order);
      }),
    );
  });

  it.each(['01', '+1', '1.', '.5', '1e', 'NaN', '0x1', ' 1', ''])('%j is none', (text) => {
    expect(isJsonNumber(text)).toBe(false);
  });
});
