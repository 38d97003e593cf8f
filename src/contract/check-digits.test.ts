import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isValidCnpj, isValidCpf } from './check-digits.ts';
import { specification } from './specification.ts';

import type { JsonValue } from '../kernel/json/json.ts';

function hasValidCheckDigits(kind: string, data: JsonValue): boolean {
  return specification.find('default', kind)?.hasValidCheckDigits(data) ?? true;
}
const [CNPJ, WRONG_CNPJ] = ['11222333000181', '11222333000182'];
const [CPF, WRONG_CPF] = ['52998224725', '52998224726'];

describe('isValidCnpj', () => {
  it.each(['12ABC34501DE35', '6A3EDMWP000168', 'D7YDDI5H000162', CNPJ, '00000000000191'])(
    'accepts %s',
    (cnpj) => {
      expect(isValidCnpj(cnpj)).toBe(true);
    },
  );

  it.each([
    '12ABC34501DE36',
    '12abc34501de35',
    WRONG_CNPJ,
    '11222333000118',
    '00000000000000',
    '11.222.333/0001-81',
    '1122233300018',
    '112223330001811',
    '',
  ])('rejects %s', (cnpj) => {
    expect(isValidCnpj(cnpj)).toBe(false);
  });
});

describe('isValidCpf', () => {
  it.each([CPF, '11144477735', '00000000191'])('accepts %s', (cpf) => {
    expect(isValidCpf(cpf)).toBe(true);
  });

  it.each([WRONG_CPF, '52998224752', '11111111111', '529.982.247-25', '5299822472', '529982247250', ''])(
    'rejects %s',
    (cpf) => {
      expect(isValidCpf(cpf)).toBe(false);
    },
  );

  it('detects every single mistyped digit', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10 }), fc.integer({ min: 1, max: 9 }), (place, shift) => {
        const digit = (Number(CPF[place]) + shift) % 10;
        expect(isValidCpf(`${CPF.slice(0, place)}${digit}${CPF.slice(place + 1)}`)).toBe(false);
      }),
    );
  });
});

describe('hasValidCheckDigits', () => {
  it('checks every CNPJ and CPF of the kind, at any depth', () => {
    const company = (tax_id: string, login_username: string) => ({ id: 1, tax_id, login_username });
    expect(hasValidCheckDigits('company.updated', company(CNPJ, CPF))).toBe(true);
    expect(hasValidCheckDigits('company.updated', company(WRONG_CNPJ, CPF))).toBe(false);
    expect(hasValidCheckDigits('company.updated', company(CNPJ, WRONG_CPF))).toBe(false);
    const slip = (tax_id: string) => ({ id: 1, status: 'issued', charge: { company: { tax_id } } });
    expect(hasValidCheckDigits('charge.payment-slip.updated', slip(CNPJ))).toBe(true);
    expect(hasValidCheckDigits('charge.payment-slip.updated', slip(WRONG_CNPJ))).toBe(false);
  });

  it('distinguishes CPF and CNPJ by the field', () => {
    const indication = (tax_id: string) => ({ id: 1, status: 'pending', tax_id });
    expect(hasValidCheckDigits('traffic-violation.indication.created', indication(CPF))).toBe(true);
    expect(hasValidCheckDigits('traffic-violation.indication.created', indication(CNPJ))).toBe(false);
  });

  it('accepts absent values, null, values of another type, and unrecognized kinds', () => {
    expect(hasValidCheckDigits('company.created', { id: 1, tax_id: null })).toBe(true);
    expect(hasValidCheckDigits('company.created', { id: 1, tax_id: 5 })).toBe(true);
    expect(hasValidCheckDigits('charge.created', { id: 1, company: 'none' })).toBe(true);
    expect(hasValidCheckDigits('charge.created', null)).toBe(true);
    expect(hasValidCheckDigits('user.login.failed', { id: 1, tax_id: WRONG_CPF })).toBe(true);
    expect(hasValidCheckDigits('user.login.started', { id: 1, tax_id: WRONG_CPF })).toBe(true);
  });
});
