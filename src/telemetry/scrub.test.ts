import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scrub } from './scrub.ts';

describe('scrubbing an error message', () => {
  it.each([
    ['no user ana.lima+x@mail.example.com.br here', 'no user <email> here'],
    ['CPF 529.982.247-25 unknown', 'CPF <cpf> unknown'],
    ['CPF 52998224725 unknown', 'CPF <cpf> unknown'],
    ['CNPJ 11.222.333/0001-81', 'CNPJ <cnpj>'],
    ['CNPJ 12ABC34501DE35', 'CNPJ <cnpj>'],
    ['call +55 (41) 99999-0123', 'call <number>'],
    ['slip 23793381286000000000300000000402684340000012345', 'slip <number>'],
    ['GET https://a.example/s/1?token=abc&x=1 failed', 'GET https://a.example/s/1?<query> failed'],
    ['GET https://user:pass@a.example/ failed', 'GET https://a.example/ failed'],
    ['two\n  lines', 'two lines'],
  ])('turns "%s" into "%s"', (text, scrubbed) => {
    expect(scrub(text)).toBe(scrubbed);
  });

  it.each([
    'connect ECONNREFUSED 127.0.0.1:5432',
    'asked to retry in 5000 ms',
    'HTTP 503 after 1200 ms (at handle (/app/handlers/charge.ts:63:31))',
    'event k3m9p2-1234567',
    'due 2026-11-20 10:00, got 2026-11-20T12:00:00.123Z',
    'connect ETIMEDOUT 192.168.100.200:443',
  ])('does not change "%s"', (text) => {
    expect(scrub(text)).toBe(text);
  });

  it('truncates after 500 characters', () => {
    expect(scrub('x '.repeat(5000))).toHaveLength(501);
  });

  it('replaces every CPF, CNPJ and e-mail address, wherever it is', () => {
    const secret = fc.constantFrom('52998224725', '529.982.247-25', '11222333000181', 'ana@example.com');
    const around = fc.string({ maxLength: 20 }).map((text) => text.replaceAll(/[\w.+@-]/gu, '#'));
    fc.assert(
      fc.property(around, secret, around, (before, personal, after) => {
        expect(scrub(`${before} ${personal} ${after}`)).not.toContain(personal);
      }),
    );
  });
});
