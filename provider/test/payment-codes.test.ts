import fc from 'fast-check';
import { expect, test } from 'vitest';
import { barcodeFits, pixFits } from '../../test/support/webhooks/payment-codes.ts';
import { bankSlipLine } from '../payment-slips/bank-slip-line.ts';
import { pixCode } from '../payment-slips/pix-code.ts';
import { slipDueDate } from '../payment-slips/slip-rules.ts';

const day = fc
  .date({ min: new Date('2000-07-03'), max: new Date('2049-10-13'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const amount = fc.option(fc.integer({ min: 1, max: 9_999_999_999 }).map((cents) => cents / 100));

test('every bank slip line has valid check digits', () => {
  fc.assert(
    fc.property(amount, day, fc.nat(), (amount, dueDate, number) => {
      expect(barcodeFits(bankSlipLine({ amount, dueDate, number }))).toBe(true);
    }),
  );
});

test.each([
  ['2000-07-03', '1000'],
  ['2025-02-21', '9999'],
  ['2025-02-22', '1000'],
  ['2026-03-31', '1402'],
])('a slip due on %s encodes the day as %s and ends with its cents', (dueDate, factor) => {
  expect(bankSlipLine({ amount: 1040.13, dueDate, number: 7 }).slice(33)).toBe(`${factor}0000104013`);
});

test('a slip without an amount encodes zero', () => {
  expect(bankSlipLine({ amount: null, dueDate: '2026-03-31', number: 7 }).slice(-10)).toBe('0000000000');
});

test('every PIX code has valid lengths and a valid checksum', () => {
  fc.assert(
    fc.property(amount, fc.string(), fc.string({ unit: 'grapheme' }), (amount, receiver, city) => {
      const code = pixCode({ amount, key: 'multas@271070.example', receiver, city, reference: 'T7' });
      expect(pixFits(code)).toBe(true);
    }),
  );
});

test('a PIX code has the amount, and the receiver without accents', () => {
  const code = pixCode({
    amount: 104.1,
    key: 'multas@271070.example',
    receiver: 'Prefeitura de São Paulo e Região',
    city: 'São José dos Campos',
    reference: 'T7',
  });

  expect(code).toContain('0014br.gov.bcb.pix0121multas@271070.example');
  expect(code).toContain('53039865406104.105802BR');
  expect(code).toContain('5925PREFEITURA DE SAO PAULO E6015SAO JOSE DOS CA');
  expect(code).toContain('62060502T7');
});

test.each([
  ['2026-03-10', '2026-03-10'],
  ['2026-03-09', '2026-03-15'],
  [null, '2026-03-15'],
])('a debt due on %s has a slip due on %s', (dueDate, expected) => {
  expect(slipDueDate(dueDate, '2026-03-10')).toBe(expected);
});
