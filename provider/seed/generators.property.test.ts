import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPhone } from '../../src/contract/api/body-field.ts';
import { isValidCnpj, isValidCpf } from '../../src/contract/check-digits.ts';
import { seededRandom } from '../../src/kernel/random.ts';
import { places } from './brazilian-places.ts';
import { generateAddress } from './generate-company.ts';
import { generateCnpj, generateCpf, generatePlate } from './generate-identifiers.ts';
import { emailOf, generateName, generatePhone, generateUser } from './generate-person.ts';
import { generateViolation } from './generate-violation.ts';
import { infractions, severities } from './infractions.ts';

const seed = fc.integer({ min: 0, max: 2 ** 31 });
const number = fc.integer({ min: 0, max: 900_000_000 });
const random = seed.map((drawn) => seededRandom(drawn));
const TODAY = '2026-03-10';

/** The ranges of postal codes of each state. */
const postalRanges: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  SP: [['01000000', '19999999']],
  RJ: [['20000000', '28999999']],
  MG: [['30000000', '39999999']],
  BA: [['40000000', '48999999']],
  PE: [['50000000', '56999999']],
  CE: [['60000000', '63999999']],
  PA: [['66000000', '68899999']],
  DF: [
    ['70000000', '72799999'],
    ['73000000', '73699999'],
  ],
  GO: [
    ['72800000', '72999999'],
    ['73700000', '76799999'],
  ],
  MT: [['78000000', '78899999']],
  PR: [['80000000', '87999999']],
  SC: [['88000000', '89999999']],
  RS: [['90000000', '99999999']],
};

test('tax ids have valid check digits', () => {
  fc.assert(
    fc.property(seed, number, (drawn, at) => {
      expect(isValidCnpj(generateCnpj(drawn, at)), `CNPJ ${String(at)} of ${String(drawn)}`).toBe(true);
      expect(isValidCpf(generateCpf(drawn, at)), `CPF ${String(at)} of ${String(drawn)}`).toBe(true);
    }),
  );
});

test('20,000 tax ids are unique, and some CNPJs have letters', () => {
  const numbers = Array.from({ length: 20_000 }, (_, at) => at);
  const cnpjs = numbers.map((at) => generateCnpj(7, at));
  const cpfs = numbers.map((at) => generateCpf(7, at));

  expect(new Set(cnpjs).size).toBe(numbers.length);
  expect(new Set(cpfs).size).toBe(numbers.length);
  const lettered = cnpjs.filter((cnpj) => /[A-Z]/.test(cnpj)).length / numbers.length;
  expect(lettered).toBeGreaterThan(0.1);
  expect(lettered).toBeLessThan(0.2);
});

test('plates have the old format or that of the Mercosul', () => {
  fc.assert(
    fc.property(random, (draw) => {
      expect(generatePlate(draw)).toMatch(/^[A-Z]{3}\d(\d|[A-J])\d{2}$/);
    }),
  );
});

test('postal codes are in the range of their state, and addresses are complete', () => {
  fc.assert(
    fc.property(random, fc.constantFrom(...places), (draw, place) => {
      const { address, city, state, postal_code } = generateAddress(draw, place);
      expect(postal_code).toMatch(/^\d{8}$/);
      const ranges = postalRanges[state] ?? [];
      expect(
        ranges.some(([first, last]) => postal_code >= first && postal_code <= last),
        `${postal_code} in ${state}`,
      ).toBe(true);
      expect(city).toBe(place.city);
      expect(address).toMatch(/^.+ .+, \d+(, .+)?, .+$/);
    }),
  );
});

test('phone numbers are valid and have the prefix of collect calls', () => {
  fc.assert(
    fc.property(random, fc.constantFrom(...places), (draw, place) => {
      const phone = generatePhone(draw, place);
      expect(isPhone(`+55${phone}`), phone).toBe(true);
      expect(phone).toMatch(/^\d{2}90[1-9]\d{6}$/);
    }),
  );
});

test('names have at least three words, and e-mail addresses have a reserved domain', () => {
  fc.assert(
    fc.property(random, number, (draw, at) => {
      const name = generateName(draw);
      expect(name.split(' ').length).toBeGreaterThanOrEqual(3);
      expect(emailOf(name, at, 'motoristas.example')).toMatch(/^[a-z]+\.[a-z]+\d+@motoristas\.example$/);
    }),
  );
});

test('the same seed and number generate the same user', () => {
  fc.assert(
    fc.property(seed, number, (drawn, at) => {
      expect(generateUser(drawn, at)).toEqual(generateUser(drawn, at));
    }),
  );
});

test('dates, notices, deadlines, amounts and status of a violation are consistent', () => {
  fc.assert(
    fc.property(random, fc.option(fc.constantFrom(...places), { nil: undefined }), (draw, near) => {
      const violation = generateViolation(draw, {
        today: TODAY,
        plate: 'ABC1D23',
        ...(near !== undefined && { near }),
      });
      const { status, amount, interest_amount, correction_amount, updated_amount } = violation;
      const { violation_notice_date: notice, penalty_notice_date: penalty, due_date: due } = violation;
      const { indication_deadline: deadline, payment_date: paid } = violation;
      const day = violation.date?.slice(0, 10) ?? '';

      expect(violation.ait).toMatch(/^[A-Z]\d{9}$/);
      expect(day < TODAY).toBe(true);
      const inOrder = [day, notice, deadline, penalty].filter((date) => date != null);
      expect(inOrder).toEqual([...inOrder].sort());
      if (penalty != null && due != null) expect(penalty < due).toBe(true);
      if (status === 'citation') expect(penalty).toBeNull();
      if (status === 'overdue') expect(due != null && due < TODAY).toBe(true);
      if (status === 'pending') expect(due != null && due >= TODAY).toBe(true);
      expect(paid != null).toBe(status === 'paid');
      if (paid != null) expect(paid <= TODAY).toBe(true);
      expect(amount === null).toBe(status === 'warning');
      if (amount != null) {
        const infraction = infractions.find(({ code }) => code === violation.code);
        expect(amount).toBeCloseTo(
          severities[infraction?.severity ?? 'minor'].amount * (infraction?.multiplier ?? 0),
          2,
        );
        expect(interest_amount).toBeGreaterThanOrEqual(0);
        expect(updated_amount).toBeCloseTo(amount + (interest_amount ?? 0) + (correction_amount ?? 0), 2);
      }
    }),
    { numRuns: 500 },
  );
});
