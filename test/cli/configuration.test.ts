/** What commands need of the configuration, and how they report its mistakes. */
import { describe, expect, test } from 'vitest';
import { cliEnvironment, violation } from './kit/cli-environment.ts';

const GOOD = 'b7c1d1a9e5f04c22';

describe('given PORTARIA_API_KEY without PORTARIA_API_URL', () => {
  async function cliWithKey() {
    const cli = cliEnvironment();
    await cli.seed([violation(1)]);
    cli.env['PORTARIA_API_KEY'] = 'org_key_1';
    return cli;
  }

  test.each([
    'events list',
    'deliveries list',
    'quarantine list',
    'quarantine release --dry-run',
    'subjects show traffic-violation:1',
    'machines list',
    'machines rebuild --dry-run',
    'handlers list',
    'stats',
    'replay --dry-run',
    'replay --dry-run --to http://127.0.0.1:10/',
    'contract',
  ])('%s works: it does not call the API', async (line) => {
    const { code, err } = await (await cliWithKey()).run(...line.split(' '));
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  test.each(['serve', 'doctor'])('%s names the missing setting', async (line) => {
    const { code, out, err } = await (await cliWithKey()).run(...line.split(' '));
    expect(code).toBe(line === 'doctor' ? 1 : 4);
    expect(`${out}${err}`).toMatch(/PORTARIA_API_URL:? is missing; set the URL and the key together/);
  });
});

describe('PORTARIA_VERIFY=bearer', () => {
  test.each([
    [{}],
    [{ PORTARIA_HOST: '0.0.0.0' }],
    [{ PORTARIA_SECRETS: GOOD }],
    [{ PORTARIA_HOST: '0.0.0.0', PORTARIA_SECRETS: GOOD }],
  ])('is one mistake with %j', async (env) => {
    const cli = cliEnvironment();
    Object.assign(cli.env, env, { PORTARIA_VERIFY: 'bearer' });
    const { code, err } = await cli.run('stats');
    expect(code).toBe(4);
    expect(err).toBe(
      'error: The configuration has mistakes\n' +
        '  PORTARIA_VERIFY: must be one of none, token, hmac, standard, signed, basic, jwt, stripe, slack, github, shopify, svix, zoom, mercado-pago, asaas; got "bearer"\n',
    );
  });

  test('does not hide that a secret is a placeholder or too short for other machines', async () => {
    const cli = cliEnvironment();
    Object.assign(cli.env, {
      PORTARIA_HOST: '0.0.0.0',
      PORTARIA_VERIFY: 'bearer',
      PORTARIA_SECRETS: 'replace-me,short',
    });
    const { err } = await cli.run('serve');
    expect(err).toMatch(/PORTARIA_SECRETS: secret 1 is a placeholder/);
    expect(err).toMatch(/PORTARIA_SECRETS: secret 2 is shorter than 16 bytes, and other machines/);
  });
});

test('every secret that is weak for other machines is named at once, each with its correction', async () => {
  const cli = cliEnvironment();
  Object.assign(cli.env, {
    PORTARIA_HOST: '0.0.0.0',
    PORTARIA_VERIFY: 'hmac',
    PORTARIA_SECRETS: 'replace-me-with-a-long-random-text,short',
    PORTARIA_OPS_HOST: '0.0.0.0',
    PORTARIA_OPS_TOKEN: 'short',
    PORTARIA_FORWARD_URL: 'http://app:3000/',
    PORTARIA_FORWARD_SECRET: 'whsec_c2hvcnQ=',
    PORTARIA_SOURCES: JSON.stringify({ fleet: { verify: 'token', secrets: ['change-me'] } }),
  });
  const { code, err } = await cli.run('serve');
  expect(code).toBe(4);
  const lines = err.trimEnd().split('\n').slice(1);
  expect(lines).toEqual([
    expect.stringMatching(/^ {2}PORTARIA_SECRETS: secret 1 is a placeholder; .*openssl rand -hex 32/),
    expect.stringMatching(/^ {2}PORTARIA_SECRETS: secret 2 is shorter than 16 bytes, .*openssl rand -hex 32/),
    expect.stringMatching(/^ {2}PORTARIA_SOURCES\.fleet\.secrets: secret 1 is a placeholder/),
    expect.stringMatching(
      /^ {2}PORTARIA_FORWARD_SECRET: is shorter than 16 bytes, .*openssl rand -base64 32/,
    ),
    expect.stringMatching(/^ {2}PORTARIA_OPS_TOKEN: is shorter than 16 bytes, .*openssl rand -hex 32/),
  ]);
});
