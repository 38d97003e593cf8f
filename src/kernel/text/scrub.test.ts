import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskText, scrub } from './scrub.ts';
import { withoutHanging } from '../../../test/support/without-hanging.ts';

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
    ['CPF529.982.247-25 unknown', 'CPF<cpf> unknown'],
    ['cpf_529.982.247-25 unknown', 'cpf_<cpf> unknown'],
    ['CPF 529982247/25 unknown', 'CPF <cpf> unknown'],
    ['CPF 529.982.247–25 unknown', 'CPF <cpf> unknown'],
    ['CNPJ11.222.333/0001-81', 'CNPJ<cnpj>'],
    ['cnpj_11222333/0001-81', 'cnpj_<cnpj>'],
    ['CNPJ12.ABC.345/01DE−35', 'CNPJ<cnpj>'],
    ['call (41) 99999–0123', 'call (<number>'],
    ['no user josé@example.com here', 'no user <email> here'],
    ['no user jose\u0301@exemplo.com.br here', 'no user <email> here'],
    ['postgres://app:s3cr3t@db/x refused', 'postgres://db/x refused'],
    ['postgres://app:s3/cr3t@db/x refused', 'postgres://db/x refused'],
    ['postgres://app:p@ss@db/x refused', 'postgres://db/x refused'],
    ['redis://:s3cr3t@redis:6379 refused', 'redis://redis:6379 refused'],
    ['amqps://db:5671/?password=s3cr3t refused', 'amqps://db:5671/?<query> refused'],
    ['CPF ５２９.９８２.２４７－２５ unknown', 'CPF <cpf> unknown'],
    ['CPF 529\u200b982\u00ad247\u206025 unknown', 'CPF <cpf> unknown'],
    ['to ana＠example.com', 'to <email>'],
    ['half \ud800 of a pair', 'half \ufffd of a pair'],
    ['two\n  lines', 'two lines'],
    ['CNPJ 12abc34501de35', 'CNPJ <cnpj>'],
    ['CNPJ 12.abc.345/01de-35', 'CNPJ <cnpj>'],
    ['Authorization: Bearer eyJhbGciOiJI.e30.x_y-z', 'Authorization: <secret>'],
    ['got 401 for bearer abc123', 'got 401 for bearer <secret>'],
    ['Basic dXNlcjpwYXNz refused', 'Basic <secret> refused'],
    ['password=hunter2 refused', 'password=<secret> refused'],
    ['db_password: hunter2; retried', 'db_password: <secret>; retried'],
    ['client_secret=a&access_token=b', 'client_secret=<secret>&access_token=<secret>'],
    ['sent {"api-key":"a \\" b","n":1}', 'sent {"api-key":"<secret>","n":1}'],
    ['sent "{\\"token\\":\\"a b\\",\\"n\\":1}"', 'sent "{\\"token\\":\\"<secret>\\",\\"n\\":1}"'],
    ['sent {"pwd":"a b"}', 'sent {"pwd":"<secret>"}'],
    ['sent {"token":987654,"n":1}', 'sent {"token":<secret>,"n":1}'],
    ['cookie: a=b; c=d (retried)', 'cookie: <secret> (retried)'],
    ['Set-Cookie: sid=ab', 'Set-Cookie: <secret>'],
    ['token=ab== refused', 'token=<secret> refused'],
    ['Bearer abcdefghijklmnopqrst refused', 'Bearer <secret> refused'],
    ["sent { password: 'x y' }", "sent { password: '<secret>' }"],
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
    'no route to 10.192.168.100/24',
    'GET http://localhost:8080/users/@me failed',
    'replay r12 of 0198c2f4-7b1e-7d3a-9f52-a1b2c3d4e5f6',
    'at file:///app/handlers/charge.ts:63:31',
    'the bearer token expired: invalid token',
    'Basic authentication is off',
    'Basic Authentication failed',
    'the bearer of bad news',
    'at send (/app/node_modules/.pnpm/axios@1.7.2/node_modules/axios/index.js:2:3)',
    'at a (/app/node_modules/.pnpm/vite@7.1.2-beta.rc_@types+node@24.0.0/x.js:2:3)',
    'no token: {"token":null,"password": true}',
    'unexpected token: subscription12',
    'a password is needed',
    '{"tokens":12,"secret":null}',
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

  it.each([
    'a',
    '1',
    'a.',
    '1.',
    '1 ',
    '+',
    '://',
    'a:',
    '://a:',
    '@',
    'a@',
    '2026-11-20 (',
    '\\',
    '"',
    'a-',
    '"password',
    'token=',
    'Bearer ',
    'cookie: a=b;',
    'cookie:',
    'token\\',
    'cookie',
    'a@1.',
  ])('masks a long repetition of "%s" in linear time', (part) => {
    const text = part.repeat(2_000_000 / part.length);
    expect(withoutHanging(() => maskText(text)).length).toBeGreaterThan(0);
  });
});
