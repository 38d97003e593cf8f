import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PortariaError } from '../kernel/errors.ts';
import { loadConfig } from './load-config.ts';

/** As long as secrets are. */
const GOOD = '0123456789abcdef';
const STANDARD_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('given no settings at all', () => {
  test('everything has a safe default on loopback', () => {
    const config = loadConfig({}, '/srv');
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      database: '/srv/data/portaria.db',
      maxBodyBytes: 1_048_576,
      onInvalid: 'reject',
      handlersFolder: null,
      concurrency: 16,
      forward: null,
      api: null,
      ops: { host: '127.0.0.1', port: 9090, token: null },
      warnings: [],
    });
    expect(config.sources.get('default')).toEqual({ scheme: 'none', messageIdHeader: 'webhook-id' });
  });

  test('an empty variable counts as unset', () => {
    expect(loadConfig({ PORTARIA_PORT: '', PORTARIA_VERIFY: ' ' }, '/srv').port).toBe(8080);
  });
});

describe('given several mistakes', () => {
  test('all are named at once, each with its correction', () => {
    const problems = problemsOf({
      PORTARIA_PORT: 'eighty',
      PORTARIA_VERIFY: 'hmac',
      PORTARIA_CONCURRENCY: '0',
      PORTARIA_FORWARD_URL: 'app:3000',
      PORTARIA_HANDLERS: './nowhere',
    });
    expect(problems).toEqual({
      PORTARIA_PORT: 'must be a whole number from 0 to 65535; got "eighty"',
      PORTARIA_SECRETS: 'PORTARIA_VERIFY=hmac needs at least one secret; set it here',
      PORTARIA_CONCURRENCY: 'must be a whole number from 1 to 10000; got "0"',
      PORTARIA_FORWARD_URL: 'must be an address that starts with http:// or https://; got "app:3000"',
      PORTARIA_HANDLERS: '/srv/nowhere is not a folder; make it, or unset this for the shipped handlers',
    });
  });

  test('the address of the API and its key go together', () => {
    const one = (env: Record<string, string>) => problemsOf(env);
    const missing = 'is missing; the address and the key are set together';

    expect(one({ PORTARIA_API_URL: 'http://localhost:4010' })).toEqual({ PORTARIA_API_KEY: missing });
    expect(one({ PORTARIA_API_KEY: 'fdc_key' })).toEqual({ PORTARIA_API_URL: missing });
    expect(one({ PORTARIA_API_URL: 'localhost', PORTARIA_API_KEY: 'two words' })).toEqual({
      PORTARIA_API_URL: 'must be an address that starts with http:// or https://; got "localhost"',
      PORTARIA_API_KEY: 'must be printable ASCII without spaces',
    });
    expect(one({ PORTARIA_API_URL: 'http://a:b@localhost', PORTARIA_API_KEY: 'k' })).toHaveProperty(
      'PORTARIA_API_URL',
      expect.stringContaining('no user name'),
    );
    const { api } = loadConfig({ PORTARIA_API_URL: 'http://localhost:4010', PORTARIA_API_KEY: 'k' }, '/srv');
    expect(api).toEqual({ url: 'http://localhost:4010', key: 'k' });
  });

  const address = 'must be an address that starts with http:// or https://';
  test.each([
    ['PORTARIA_FORWARD_URL', 'http://user:SECRET@x:99999/in', `${address}; got "http://…@x:99999/in"`],
    ['PORTARIA_FORWARD_URL', 'http://user:SEC@RET@x:99999/', `${address}; got "http://…@x:99999/"`],
    ['PORTARIA_FORWARD_URL', 'http://user:SEC?RET@x:99999/', `${address}; got "http://…"`],
    ['PORTARIA_FORWARD_URL', 'http://x:99999/in?key=SECRET', `${address}; got "http://x:99999/in?…"`],
    ['PORTARIA_FORWARD_URL', 'http://x:99999/?to=a@b.c&key=SECRET', `${address}; got "http://…"`],
    ['PORTARIA_FORWARD_URL', 'user:SECRET@app:3000', `${address}; got "…@app:3000"`],
    ['PORTARIA_FORWARD_URL', 'http:/user:SECRET@app#SECRET', `${address}; got "…@app#…"`],
    ['PORTARIA_FORWARD_URL', 'user:a//SECRET@app:3000', `${address}; got "…@app:3000"`],
    [
      'PORTARIA_API_URL',
      'http://u:SECRET@127.0.0.1:9/',
      'must hold no user name, password, query or fragment; got "http://…@127.0.0.1:9/"',
    ],
    [
      'PORTARIA_API_URL',
      'http://127.0.0.1:9/v0?token=SECRET',
      'must hold no user name, password, query or fragment; got "http://127.0.0.1:9/v0?…"',
    ],
    // In the wrong place.
    ['PORTARIA_PORT', 'http://u:SECRET@x/', 'must be a whole number from 0 to 65535; got "http://…@x/"'],
  ])('credentials in an address are never echoed: %s=%s', (name, value, message) => {
    expect(
      problemsOf({
        [name]: value,
        PORTARIA_API_KEY: 'k',
        ...(name === 'PORTARIA_API_URL' ? {} : { PORTARIA_API_URL: 'http://localhost' }),
      }),
    ).toEqual({ [name]: message });
  });

  test('a secret is never echoed', () => {
    const problems = problemsOf({ PORTARIA_VERIFY: 'standard', PORTARIA_SECRETS: 'not base64!' });
    expect(JSON.stringify(problems)).not.toContain('not base64!');
    expect(problems['PORTARIA_SECRETS']).toContain('must be base64');
  });
});

describe('given a host that others can reach', () => {
  test('starting without a scheme is refused', () => {
    expect(problemsOf({ PORTARIA_HOST: '0.0.0.0' })['PORTARIA_VERIFY']).toContain('can be reached');
  });

  test('an explicit none is allowed, with a warning', () => {
    const config = loadConfig({ PORTARIA_HOST: '0.0.0.0', PORTARIA_VERIFY: 'none' }, '/srv');
    expect(config.warnings).toEqual([
      'source default is not verified: whoever reaches 0.0.0.0 can post webhooks to it',
    ]);
  });

  test('to trust message ids of anybody is allowed, with a warning of its own', () => {
    const settings = { PORTARIA_VERIFY: 'none', PORTARIA_TRUST_MESSAGE_ID: 'true' };
    expect(loadConfig({ ...settings, PORTARIA_HOST: '0.0.0.0' }, '/srv').warnings).toEqual([
      'source default is not verified and its message ids are trusted: whoever reaches 0.0.0.0 can have its events taken for repeats',
    ]);
    expect(loadConfig(settings, '/srv').warnings).toEqual([]);
  });

  test('the private port stays on loopback until PORTARIA_OPS_HOST says otherwise, which needs a token', () => {
    const open = { PORTARIA_HOST: '0.0.0.0', PORTARIA_VERIFY: 'token', PORTARIA_SECRETS: GOOD };
    const withToken = { ...open, PORTARIA_OPS_TOKEN: GOOD };
    expect(loadConfig(open, '/srv').ops.host).toBe('127.0.0.1');
    expect(loadConfig(withToken, '/srv').ops).toEqual({ host: '127.0.0.1', port: 9090, token: GOOD });
    expect(loadConfig({ ...withToken, PORTARIA_OPS_HOST: '0.0.0.0' }, '/srv').ops.host).toBe('0.0.0.0');
    expect(problemsOf({ ...open, PORTARIA_OPS_HOST: '0.0.0.0' })['PORTARIA_OPS_TOKEN']).toContain(
      'set a token',
    );
  });
});

describe('given secrets', () => {
  test('old and new overlap, separated by commas', () => {
    const config = loadConfig({ PORTARIA_VERIFY: 'token', PORTARIA_SECRETS: 'old, new' }, '/srv');
    expect(config.sources.get('default')).toEqual({
      scheme: 'token',
      header: 'x-webhook-token',
      secrets: ['old', 'new'],
      messageIdHeader: 'webhook-id',
    });
  });

  test('secrets without a scheme are a mistake, not an open door', () => {
    expect(problemsOf({ PORTARIA_SECRETS: 'x' })['PORTARIA_VERIFY']).toContain('no scheme');
  });
});

describe('given further sources', () => {
  const sources = JSON.stringify({
    fleet: { verify: 'hmac', secrets: ['a', 'b'], header: 'X-Signature' },
    drivers: { verify: 'standard', secrets: [STANDARD_SECRET], messageIdHeader: 'x-id' },
  });

  test.each(['JSON text', 'a file of it'])('each has its own scheme and secrets (%s)', (form) => {
    const folder = mkdtempSync(join(tmpdir(), 'portaria-config-'));
    writeFileSync(join(folder, 'sources.json'), sources);
    const config = loadConfig(
      { PORTARIA_SOURCES: form === 'JSON text' ? sources : './sources.json' },
      folder,
    );
    expect(config.sources.get('fleet')).toEqual({
      scheme: 'hmac',
      header: 'x-signature',
      secrets: ['a', 'b'],
      messageIdHeader: 'webhook-id',
    });
    expect(config.sources.get('drivers')).toEqual({
      scheme: 'standard',
      secrets: [STANDARD_SECRET],
      messageIdHeader: 'x-id',
    });
    expect([...config.sources.keys()]).toEqual(['default', 'fleet', 'drivers']);
  });

  test('mistakes name the source and the field', () => {
    const wrong = JSON.stringify({
      'Fleet 1': { verify: 'none' },
      a: { verify: 'rot13' },
      b: { verify: 'token' },
      d: { verify: 'none', trustMessageId: 'yes' },
      c: { verify: 'none', sekrets: [], colour: 'red' },
    });
    const problems = problemsOf({ PORTARIA_SOURCES: wrong });
    expect(Object.keys(problems)).toEqual([
      'PORTARIA_SOURCES.Fleet 1',
      'PORTARIA_SOURCES.a.verify',
      'PORTARIA_SOURCES.b.secrets',
      'PORTARIA_SOURCES.d.trustMessageId',
      'PORTARIA_SOURCES.c.sekrets',
      'PORTARIA_SOURCES.c.colour',
    ]);
    expect(problems['PORTARIA_SOURCES.d.trustMessageId']).toBe('must be true or false');
    expect(problems['PORTARIA_SOURCES.c.sekrets']).toBe('is no setting of a source; did you mean secrets?');
    expect(problems['PORTARIA_SOURCES.c.colour']).toContain('known are verify, secrets, secretsFile, header');
    expect(problemsOf({ PORTARIA_SOURCES: '{' })['PORTARIA_SOURCES']).toContain('JSON object');
    expect(problemsOf({ PORTARIA_SOURCES: 'none.json' })['PORTARIA_SOURCES']).toContain('neither JSON');
  });
});

test('message ids that no signature covers are trusted only where a setting says so', () => {
  const sources = '{"a":{"verify":"none"},"b":{"verify":"none","trustMessageId":true}}';
  const trusted = (env: Record<string, string>) =>
    [...loadConfig({ PORTARIA_SOURCES: sources, ...env }, '/srv').sources]
      .filter(([, { trustMessageId }]) => trustMessageId === true)
      .map(([name]) => name);

  expect(trusted({})).toEqual(['b']);
  // Of the default source: each further one says it for itself.
  expect(trusted({ PORTARIA_TRUST_MESSAGE_ID: 'true' })).toEqual(['default', 'b']);
  expect(problemsOf({ PORTARIA_TRUST_MESSAGE_ID: 'yes' })['PORTARIA_TRUST_MESSAGE_ID']).toContain(
    'must be one of true, false',
  );
});

test('a misspelt setting is pointed out', () => {
  expect(loadConfig({ PORTARIA_PROT: '1', PATH: '/bin' }, '/srv').warnings).toEqual([
    'PORTARIA_PROT is not a setting; did you mean PORTARIA_PORT?',
  ]);
});

function problemsOf(env: Record<string, string>): Record<string, string> {
  try {
    loadConfig(env, '/srv');
  } catch (error) {
    if (!PortariaError.is(error, 'misconfigured')) throw error;
    return Object.fromEntries(error.problems.map(({ where, message }) => [where, message]));
  }
  throw new Error('expected the configuration to be refused');
}
