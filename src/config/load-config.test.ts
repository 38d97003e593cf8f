import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { problemsOf } from '../../test/support/setting-problems.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { loadConfig } from './load-config.ts';

/** As long as secrets must be. */
const GOOD = '0123456789abcdef';
const STANDARD_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('given no settings at all', () => {
  test('all defaults are safe and on loopback', () => {
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
      ops: { host: '127.0.0.1', port: 9090, token: null, viewToken: null },
      warnings: [],
    });
    expect(config.sources.get('default')?.verify).toEqual({ scheme: 'none', messageIdHeader: 'webhook-id' });
  });

  test('an empty variable counts as unset', () => {
    expect(loadConfig({ PORTARIA_PORT: '', PORTARIA_VERIFY: ' ' }, '/srv').port).toBe(8080);
  });
});

describe('given several mistakes', () => {
  test('reports all at once, each with its remedy', () => {
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
      PORTARIA_FORWARD_URL: 'must be a URL that starts with http:// or https://; got "app:3000"',
      PORTARIA_HANDLERS: '/srv/nowhere is not a folder; create it, or unset this for the shipped handlers',
    });
  });

  test('copies of a database that is no file are a mistake, and a file is no folder for them', () => {
    const PORTARIA_BACKUP_DIR = import.meta.filename;
    expect(problemsOf({ PORTARIA_BACKUP_DIR, PORTARIA_DATABASE: 'postgres://localhost/fleet' })).toEqual({
      PORTARIA_BACKUP_DIR: expect.stringContaining('is for an SQLite file; unset it'),
    });
    expect(problemsOf({ PORTARIA_BACKUP_DIR, PORTARIA_BACKUP_EVERY: '5s' })).toEqual({
      PORTARIA_BACKUP_DIR: expect.stringContaining('is not a folder'),
      PORTARIA_BACKUP_EVERY: expect.stringContaining('must be a period from 1m to 30d'),
    });
    expect(loadConfig({ PORTARIA_BACKUP_DIR: 'backups' }, '/srv').backup).toEqual({
      ...{ folder: '/srv/backups', everyMs: 86_400_000, keep: 7 },
    });
  });

  test('the URL of the API and its key are required together', () => {
    const one = (env: Record<string, string>) => problemsOf(env);
    const missing = 'is missing; set the URL and the key together';

    expect(one({ PORTARIA_API_URL: 'http://localhost:4010' })).toEqual({ PORTARIA_API_KEY: missing });
    expect(one({ PORTARIA_API_KEY: 'fdc_key' })).toEqual({ PORTARIA_API_URL: missing });
    expect(one({ PORTARIA_API_URL: 'localhost', PORTARIA_API_KEY: 'two words' })).toEqual({
      PORTARIA_API_URL: 'must be a URL that starts with http:// or https://; got "localhost"',
      PORTARIA_API_KEY: 'must be printable ASCII without spaces',
    });
    expect(one({ PORTARIA_API_URL: 'http://a:b@localhost', PORTARIA_API_KEY: 'k' })).toHaveProperty(
      'PORTARIA_API_URL',
      expect.stringContaining('must not contain'),
    );
    const { api } = loadConfig({ PORTARIA_API_URL: 'http://localhost:4010', PORTARIA_API_KEY: 'k' }, '/srv');
    expect(api).toEqual({ url: 'http://localhost:4010', key: 'k' });
  });

  const address = 'must be a URL that starts with http:// or https://';
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
      'http://u:SECRET@127.0.0.1:10/',
      'must not contain a user name, password, query or fragment; got "http://…@127.0.0.1:10/"',
    ],
    [
      'PORTARIA_API_URL',
      'http://127.0.0.1:10/v0?token=SECRET',
      'must not contain a user name, password, query or fragment; got "http://127.0.0.1:10/v0?…"',
    ],
    [
      'PORTARIA_API_URL',
      'http://127.0.0.1:10/v1/',
      'must not end with /v1, which the client appends; got "http://127.0.0.1:10/v1/"',
    ],
    // A URL in another setting.
    ['PORTARIA_PORT', 'http://u:SECRET@x/', 'must be a whole number from 0 to 65535; got "http://…@x/"'],
  ])('errors never quote credentials in a URL: %s=%s', (name, value, message) => {
    expect(
      problemsOf({
        [name]: value,
        PORTARIA_API_KEY: 'k',
        ...(name === 'PORTARIA_API_URL' ? {} : { PORTARIA_API_URL: 'http://localhost' }),
      }),
    ).toEqual({ [name]: message });
  });

  test('errors never quote a secret', () => {
    const problems = problemsOf({ PORTARIA_VERIFY: 'standard', PORTARIA_SECRETS: 'not base64!' });
    expect(JSON.stringify(problems)).not.toContain('not base64!');
    expect(problems['PORTARIA_SECRETS']).toContain('must be base64');
  });
});

describe('given the statuses by which forward gives up', () => {
  const PORTARIA_FORWARD_URL = 'http://app:3000/hooks';
  const giveUpOf = (value?: string) =>
    loadConfig(
      { PORTARIA_FORWARD_URL, ...(value !== undefined && { PORTARIA_FORWARD_GIVE_UP: value }) },
      '/srv',
    ).forward?.giveUp;

  test('they are a list, none, or by default those that concern one event', () => {
    expect(giveUpOf()).toEqual([400, 409, 413, 415, 422]);
    expect(giveUpOf('400, 404 ,501')).toEqual([400, 404, 501]);
    expect(giveUpOf('none')).toEqual([]);
  });

  test.each(['400;422', '200', '399', '600', '4xx', '400,', '422,none', 'all'])(
    '%s is a mistake',
    (value) => {
      expect(problemsOf({ PORTARIA_FORWARD_URL, PORTARIA_FORWARD_GIVE_UP: value })).toEqual({
        PORTARIA_FORWARD_GIVE_UP: `must be none, or HTTP statuses from 400 to 599, separated by commas; got "${value}"`,
      });
    },
  );
});

describe('given a host that others can reach', () => {
  test('a scheme is required', () => {
    expect(problemsOf({ PORTARIA_HOST: '0.0.0.0' })['PORTARIA_VERIFY']).toContain('other machines can reach');
  });

  test('the scheme `none` is allowed with a warning', () => {
    const config = loadConfig({ PORTARIA_HOST: '0.0.0.0', PORTARIA_VERIFY: 'none' }, '/srv');
    expect(config.warnings).toEqual([
      'source default is not verified: anybody who can reach 0.0.0.0 can send webhooks to it',
    ]);
  });

  test('trusting unverified message ids is allowed with another warning', () => {
    const settings = { PORTARIA_VERIFY: 'none', PORTARIA_TRUST_MESSAGE_ID: 'true' };
    expect(loadConfig({ ...settings, PORTARIA_HOST: '0.0.0.0' }, '/srv').warnings).toEqual([
      'source default is not verified and its message ids are trusted: anybody who can reach 0.0.0.0 can make its events look like repeats',
    ]);
    expect(loadConfig(settings, '/srv').warnings).toEqual([]);
  });

  test('the private port is on loopback unless PORTARIA_OPS_HOST is set, which requires a token', () => {
    const open = { PORTARIA_HOST: '0.0.0.0', PORTARIA_VERIFY: 'token', PORTARIA_SECRETS: GOOD };
    const withToken = { ...open, PORTARIA_OPS_TOKEN: GOOD };
    expect(loadConfig(open, '/srv').ops.host).toBe('127.0.0.1');
    expect(loadConfig(withToken, '/srv').ops).toEqual({
      host: '127.0.0.1',
      port: 9090,
      token: GOOD,
      viewToken: null,
      signOn: null,
      tokenSignIn: true,
    });
    expect(loadConfig({ ...withToken, PORTARIA_OPS_HOST: '0.0.0.0' }, '/srv').ops.host).toBe('0.0.0.0');
    expect(problemsOf({ ...open, PORTARIA_OPS_HOST: '0.0.0.0' })['PORTARIA_OPS_TOKEN']).toContain(
      'set a token',
    );
  });
});

describe('given secrets', () => {
  test('several are separated by commas, for rotation', () => {
    const config = loadConfig({ PORTARIA_VERIFY: 'token', PORTARIA_SECRETS: 'old, new' }, '/srv');
    expect(config.sources.get('default')?.verify).toEqual({
      scheme: 'token',
      header: 'x-webhook-token',
      secrets: ['old', 'new'],
      secretsFrom: 'PORTARIA_SECRETS',
      messageIdHeader: 'webhook-id',
    });
  });

  test('secrets without a scheme are a mistake', () => {
    expect(problemsOf({ PORTARIA_SECRETS: 'x' })['PORTARIA_VERIFY']).toContain('is not set');
  });
});

describe('given additional sources', () => {
  const sources = JSON.stringify({
    fleet: { verify: 'hmac', secrets: ['a', 'b'], header: 'X-Signature' },
    drivers: { verify: 'standard', secrets: [STANDARD_SECRET], messageIdHeader: 'x-id' },
  });

  test.each(['JSON', 'a JSON file'])('each has its own scheme and secrets (%s)', (form) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'sources.json'), sources);
    const config = loadConfig({ PORTARIA_SOURCES: form === 'JSON' ? sources : './sources.json' }, folder);
    expect(config.sources.get('fleet')?.verify).toEqual({
      scheme: 'hmac',
      header: 'x-signature',
      secrets: ['a', 'b'],
      secretsFrom: 'PORTARIA_SOURCES.fleet.secrets',
      messageIdHeader: 'webhook-id',
    });
    expect(config.sources.get('drivers')?.verify).toEqual({
      scheme: 'standard',
      secrets: [STANDARD_SECRET],
      secretsFrom: 'PORTARIA_SOURCES.drivers.secrets',
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
      'PORTARIA_SOURCES.d.trustMessageId',
      'PORTARIA_SOURCES.c.sekrets',
      'PORTARIA_SOURCES.c.colour',
      'PORTARIA_SOURCES.a.verify',
      'PORTARIA_SOURCES.b.secrets',
    ]);
    expect(problems['PORTARIA_SOURCES.d.trustMessageId']).toBe('must be true or false');
    expect(problems['PORTARIA_SOURCES.c.sekrets']).toBe(
      'is not a setting of a source; did you mean secrets?',
    );
    expect(problems['PORTARIA_SOURCES.c.colour']).toContain(
      'the settings are verify, secrets, secretsFile, header',
    );
    expect(problemsOf({ PORTARIA_SOURCES: '{' })['PORTARIA_SOURCES']).toContain('JSON object');
    expect(problemsOf({ PORTARIA_SOURCES: 'none.json' })['PORTARIA_SOURCES']).toContain('neither JSON');
  });
});

describe('given a message id header that also proves the sender', () => {
  const remedy =
    'which contains the proof of the sender and would be stored; use another header for one of them';

  test.each([
    [{ PORTARIA_VERIFY: 'token', PORTARIA_VERIFY_HEADER: 'X-Id', PORTARIA_MESSAGE_ID_HEADER: 'x-ID' }],
    [{ PORTARIA_VERIFY: 'hmac', PORTARIA_VERIFY_HEADER: 'Webhook-Id' }],
    [{ PORTARIA_VERIFY: 'token', PORTARIA_MESSAGE_ID_HEADER: 'x-webhook-token' }],
  ])('it is rejected: %o', (env) => {
    expect(problemsOf({ ...env, PORTARIA_SECRETS: GOOD })).toEqual({
      PORTARIA_MESSAGE_ID_HEADER: expect.stringContaining(`is also PORTARIA_VERIFY_HEADER, ${remedy}`),
    });
  });

  test('it is rejected for standard signatures', () => {
    const env = { PORTARIA_VERIFY: 'standard', PORTARIA_SECRETS: STANDARD_SECRET };
    expect(problemsOf({ ...env, PORTARIA_MESSAGE_ID_HEADER: 'Webhook-Signature' })).toEqual({
      PORTARIA_MESSAGE_ID_HEADER: expect.stringContaining('is also the header of PORTARIA_VERIFY=standard'),
    });
  });

  test('it is rejected for an additional source, also with the message id header of all', () => {
    const sources = {
      a: { verify: 'token', secrets: [GOOD], header: 'X-Id', messageIdHeader: 'x-id' },
      b: { verify: 'hmac', secrets: [GOOD], header: 'X-Message' },
      c: { verify: 'none', header: 'X-Message' },
    };
    expect(
      problemsOf({ PORTARIA_MESSAGE_ID_HEADER: 'x-message', PORTARIA_SOURCES: JSON.stringify(sources) }),
    ).toEqual({
      'PORTARIA_SOURCES.a.messageIdHeader': expect.stringContaining(
        `is also PORTARIA_SOURCES.a.header, ${remedy}`,
      ),
      'PORTARIA_SOURCES.b.messageIdHeader': expect.stringContaining('is also PORTARIA_SOURCES.b.header'),
    });
  });
});

test('headers of additional sources are names of HTTP headers', () => {
  const fleet = { verify: 'hmac', secrets: [GOOD], header: 'X Signature', messageIdHeader: '' };
  expect(problemsOf({ PORTARIA_SOURCES: JSON.stringify({ fleet }) })).toEqual({
    'PORTARIA_SOURCES.fleet.header': 'must be the name of an HTTP header',
    'PORTARIA_SOURCES.fleet.messageIdHeader': 'must be the name of an HTTP header',
  });
});

test.each([
  ['{"__proto__":{"verify":"none"}}', '__proto__', 'is not a valid name'],
  ['{"a":{"verify":"none"},"b":{"verify":"none"},"\\u0061":{"verify":"none"}}', 'a', 'occurs twice'],
  ['{"a":{"verify":"hmac","secrets":["}"],"verify":"none"}}', 'a.verify', 'occurs twice'],
])('a name in PORTARIA_SOURCES that JSON would lose is rejected: %s', (sources, where, message) => {
  expect(problemsOf({ PORTARIA_SOURCES: sources })).toEqual({
    [`PORTARIA_SOURCES.${where}`]: expect.stringContaining(message),
  });
});

describe('given a forward URL', () => {
  const own = (env: Record<string, string>) => ({
    PORTARIA_VERIFY: 'token',
    PORTARIA_SECRETS: GOOD,
    ...env,
  });

  test.each([
    ['127.0.0.1', '8080', 'http://localhost:8080/webhooks'],
    ['127.0.0.1', '8080', 'http://LOCALHOST.:8080/webhooks'],
    ['127.0.0.1', '8080', 'http://[::1]:8080/webhooks'],
    ['127.0.0.1', '8080', 'http://[::ffff:127.0.0.1]:8080/webhooks'],
    ['localhost', '8080', 'http://0.0.0.0:8080/webhooks/fleet'],
    ['0.0.0.0', '80', 'http://127.0.0.1/webhooks'],
    ['::', '8080', `http://${hostname()}:8080/webhooks`],
    ['192.0.2.1', '8080', 'http://192.0.2.1:8080/webhooks'],
    ['portaria.internal', '8080', 'http://Portaria.internal:8080/'],
  ])('on host %s and port %s, %s is rejected, because it would loop', (host, port, url) => {
    const env = own({ PORTARIA_HOST: host, PORTARIA_PORT: port, PORTARIA_FORWARD_URL: url });
    expect(problemsOf(env)).toEqual({
      PORTARIA_FORWARD_URL: expect.stringMatching(
        /is this receiver's own public port \(PORTARIA_HOST, PORTARIA_PORT\).*; name the application/,
      ),
    });
  });

  test.each([
    ['127.0.0.1', '8080', 'http://localhost:3000/webhooks'],
    ['127.0.0.1', '0', 'http://localhost:8080/webhooks'],
    ['192.0.2.1', '8080', 'http://127.0.0.1:8080/webhooks'],
    ['0.0.0.0', '8080', 'http://app:8080/webhooks'],
  ])('on host %s and port %s, %s is another server', (host, port, url) => {
    const env = own({ PORTARIA_HOST: host, PORTARIA_PORT: port, PORTARIA_FORWARD_URL: url });
    expect(loadConfig(env, '/srv').forward?.url).toBe(url);
  });
});

test('message ids without a signature are trusted only if a setting says so', () => {
  const sources = '{"a":{"verify":"none"},"b":{"verify":"none","trustMessageId":true}}';
  const trusted = (env: Record<string, string>) =>
    [...loadConfig({ PORTARIA_SOURCES: sources, ...env }, '/srv').sources]
      .filter(([, { verify }]) => verify.trustMessageId === true)
      .map(([name]) => name);

  expect(trusted({})).toEqual(['b']);
  // Applies to the default source; each additional source has its own setting.
  expect(trusted({ PORTARIA_TRUST_MESSAGE_ID: 'true' })).toEqual(['default', 'b']);
  expect(problemsOf({ PORTARIA_TRUST_MESSAGE_ID: 'yes' })['PORTARIA_TRUST_MESSAGE_ID']).toContain(
    'must be one of true, false',
  );
});

test('a misspelled setting causes a warning', () => {
  expect(loadConfig({ PORTARIA_ADMIN_PORT: '1' }, '/srv').warnings).toEqual([
    'PORTARIA_ADMIN_PORT is not a setting; did you mean PORTARIA_OPS_PORT?',
  ]);
  expect(loadConfig({ PORTARIA_PROT: '1', PATH: '/bin' }, '/srv').warnings).toEqual([
    'PORTARIA_PROT is not a setting; did you mean PORTARIA_PORT?',
  ]);
});
