import { describe, expect, it } from 'vitest';
import { parseIdentifier, parseIdentifiers, sameSubjects } from './identifier.ts';
import { identifiersIn, identifiersOfNumber } from './identifiers-in.ts';
import { withoutHanging } from '../../test/support/without-hanging.ts';

describe('parseIdentifier', () => {
  it.each([
    ['12345678909', 'cpf', '12345678909'],
    [' 123.456.789-09 ', 'cpf', '12345678909'],
    ['cpf:123.456.789-00', 'cpf', '12345678900'],
    ['11.222.333/0001-81', 'cnpj', '11222333000181'],
    ['Ana.Prado@Example.COM', 'email', 'ana.prado@example.com'],
    ['email:ana@example.com', 'email', 'ana@example.com'],
    ['(11) 98765-4322', 'phone', '11987654322'],
    ['+55 11 98765-4322', 'phone', '11987654322'],
    ['5511987654322', 'phone', '11987654322'],
    ['1133334444', 'phone', '1133334444'],
    ['+4915112345678', 'phone', '4915112345678'],
    ['user:77', 'subject', 'user:77'],
    ['driver:5', 'subject', 'driver:5'],
  ])('reads %j as %s %s', (text, type, value) => {
    expect(parseIdentifier(text)).toEqual({ type, value });
  });

  it.each([
    ['12345678900', 'check digits are wrong'],
    ['charge:12', 'charge is not a person'],
    ['email:ana', 'is not an e-mail address'],
    ['cpf:123', 'expected 11 digits'],
    ['Ana', 'is not a CPF, a CNPJ'],
    ['', 'is not a CPF, a CNPJ'],
    ['11945678941', 'can be a CPF and a phone'],
    ['email:ana@example..com', 'is not an e-mail address'],
    [`ana@${'a'.repeat(320)}.com`, 'is longer than 320 characters'],
  ])('rejects %j: %s', (text, message) => {
    expect(() => parseIdentifier(text)).toThrow(message);
  });

  it.each(['.x', 'x.', '.', 'x', '@', ' ', '1', '1 ', ':'])(
    'rejects a long repetition of "%s" without reading it, and repeats none of it',
    (part) => {
      const text = `a@${part.repeat(1_000_000)}@`;
      expect(() => withoutHanging(() => parseIdentifier(text))).toThrow(
        /^is longer than 320 characters: write one identifier alone$/u,
      );
    },
  );

  it('names one person by at most 50 identifiers', () => {
    expect(parseIdentifiers(Array.from({ length: 50 }, (_, at) => `user:${String(at)}`))).toHaveLength(50);
    expect(() => parseIdentifiers(Array.from({ length: 51 }, () => 'user:1'))).toThrow('at most 50');
  });

  it('knows the families of one person', () => {
    expect(sameSubjects('user-login:77')).toEqual(['user:77', 'user-login:77']);
    expect(sameSubjects('driver:5')).toEqual(['driver:5']);
  });
});

describe('identifiersIn', () => {
  const found = (text: string, any = false) =>
    [...identifiersIn(text, any)].map(({ type, value, start, end }) => [type, value, text.slice(start, end)]);

  it.each([
    ['CPF 123.456.789-09.', ['cpf', '12345678909', '123.456.789-09']],
    ['x12345678909y', ['cpf', '12345678909', '12345678909']],
    ['pix0111123456789095204', ['cpf', '12345678909', '12345678909']],
    ['123 456 789 09', ['cpf', '12345678909', '123 456 789 09']],
    ['tel +55 (11) 98765-4321!', ['phone', '11987654321', '+55 (11) 98765-4321']],
    ['mail ANA@Example.com, please', ['email', 'ana@example.com', 'ANA@Example.com']],
    ['?to=ana%40example.com&x', ['email', 'ana@example.com', 'ana%40example.com']],
    ['CNPJ 11.222.333/0001-81', ['cnpj', '11222333000181', '11.222.333/0001-81']],
    ['cpf 345678917', ['cpf', '00345678917', '345678917']],
  ])('finds in %j', (text, expected) => {
    expect(found(text)).toContainEqual(expected);
  });

  it('does not find an address within another one', () => {
    expect(found('mariana@example.com.br').map(([, value]) => value)).not.toContain('ana@example.com');
  });

  it('takes a CPF with wrong check digits out of a longer number only when asked', () => {
    const values = (any: boolean) => found('9912345678900', any).filter(([type]) => type === 'cpf');
    expect(values(false)).not.toContainEqual(['cpf', '12345678900', '12345678900']);
    expect(values(true)).toContainEqual(['cpf', '12345678900', '12345678900']);
  });

  it('ignores very long runs of digits', () => {
    expect(found('1'.repeat(5_000))).toEqual([]);
  });

  it('restores the zeros that a number has lost, but not of a short one, which is an id', () => {
    expect([...identifiersOfNumber(345678917)]).toContainEqual({ type: 'cpf', value: '00345678917' });
    expect([...identifiersOfNumber(45678917)].map(({ type }) => type)).toEqual(['phone']);
  });
});
