import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkDigitsFit, cnpjFits, cpfFits } from './check-digits.ts';

const [CNPJ, WRONG_CNPJ] = ['11222333000181', '11222333000182'];
const [CPF, WRONG_CPF] = ['52998224725', '52998224726'];

describe('cnpjFits', () => {
  it.each(['12ABC34501DE35', '6A3EDMWP000168', 'D7YDDI5H000162', CNPJ, '00000000000191'])(
    '%s fits',
    (cnpj) => {
      expect(cnpjFits(cnpj)).toBe(true);
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
  ])('%s does not', (cnpj) => {
    expect(cnpjFits(cnpj)).toBe(false);
  });
});

describe('cpfFits', () => {
  it.each([CPF, '11144477735', '00000000191'])('%s fits', (cpf) => {
    expect(cpfFits(cpf)).toBe(true);
  });

  it.each([WRONG_CPF, '52998224752', '11111111111', '529.982.247-25', '5299822472', '529982247250', ''])(
    '%s does not',
    (cpf) => {
      expect(cpfFits(cpf)).toBe(false);
    },
  );

  it('notices every single mistyped digit', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10 }), fc.integer({ min: 1, max: 9 }), (place, shift) => {
        const digit = (Number(CPF[place]) + shift) % 10;
        expect(cpfFits(`${CPF.slice(0, place)}${digit}${CPF.slice(place + 1)}`)).toBe(false);
      }),
    );
  });
});

describe('checkDigitsFit', () => {
  it('looks at every CNPJ and CPF of the kind, however deep', () => {
    expect(checkDigitsFit('company.updated', { id: 1, tax_id: CNPJ, login_username: CPF })).toBe(true);
    expect(checkDigitsFit('company.updated', { id: 1, tax_id: WRONG_CNPJ, login_username: CPF })).toBe(false);
    expect(checkDigitsFit('company.updated', { id: 1, tax_id: CNPJ, login_username: WRONG_CPF })).toBe(false);
    const slip = (tax_id: string) => ({ id: 1, status: 'issued', charge: { company: { tax_id } } });
    expect(checkDigitsFit('charge.payment-slip.updated', slip(CNPJ))).toBe(true);
    expect(checkDigitsFit('charge.payment-slip.updated', slip(WRONG_CNPJ))).toBe(false);
  });

  it('knows a CPF from a CNPJ by the field', () => {
    const indication = (tax_id: string) => ({ id: 1, status: 'pending', tax_id });
    expect(checkDigitsFit('traffic-violation.indication.created', indication(CPF))).toBe(true);
    expect(checkDigitsFit('traffic-violation.indication.created', indication(CNPJ))).toBe(false);
  });

  it('has nothing against what is absent, null, of another type or unrecognized', () => {
    expect(checkDigitsFit('company.created', { id: 1, tax_id: null })).toBe(true);
    expect(checkDigitsFit('company.created', { id: 1, tax_id: 5 })).toBe(true);
    expect(checkDigitsFit('charge.created', { id: 1, company: 'none' })).toBe(true);
    expect(checkDigitsFit('charge.created', null)).toBe(true);
    expect(checkDigitsFit('user.login.failed', { id: 1, tax_id: WRONG_CPF })).toBe(true);
    expect(checkDigitsFit('user.login.started', { id: 1, tax_id: WRONG_CPF })).toBe(true);
  });
});
