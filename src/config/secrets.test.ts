/** Strength and origin of secrets. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PortariaError } from '../kernel/errors.ts';
import { loadConfig } from './load-config.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';

const LONG = 'b7c1d1a9e5f04c22';
const OTHER = '9d0f3a6e71c84b55';
const STANDARD = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
/** 15 bytes, in base64. */
const SHORT_STANDARD = `whsec_${Buffer.from('fifteen bytes..').toString('base64')}`;

/** Each place of a secret, with the settings that use it and that open it to other machines. */
const places = [
  {
    where: 'PORTARIA_SECRETS',
    set: (secret: string) => ({ PORTARIA_VERIFY: 'token', PORTARIA_SECRETS: secret }),
    open: { PORTARIA_HOST: '0.0.0.0' },
    good: LONG,
    short: LONG.slice(1),
  },
  {
    where: 'PORTARIA_SECRETS',
    set: (secret: string) => ({ PORTARIA_VERIFY: 'standard', PORTARIA_SECRETS: `${STANDARD},${secret}` }),
    open: { PORTARIA_HOST: '0.0.0.0' },
    good: STANDARD,
    short: SHORT_STANDARD,
  },
  {
    where: 'PORTARIA_SOURCES.fleet.secrets',
    set: (secret: string) => ({
      PORTARIA_VERIFY: 'none',
      PORTARIA_SOURCES: JSON.stringify({ fleet: { verify: 'hmac', secrets: [secret] } }),
    }),
    open: { PORTARIA_HOST: '192.0.2.1' },
    good: LONG,
    short: 'x',
  },
  {
    where: 'PORTARIA_OPS_TOKEN',
    set: (secret: string) => ({ PORTARIA_OPS_TOKEN: secret }),
    open: { PORTARIA_OPS_HOST: '0.0.0.0' },
    good: LONG,
    short: 'ópen-sésame',
  },
  {
    where: 'PORTARIA_FORWARD_SECRET',
    set: (secret: string) => ({
      PORTARIA_FORWARD_URL: 'http://127.0.0.1:3000',
      PORTARIA_FORWARD_SECRET: secret,
    }),
    open: { PORTARIA_FORWARD_URL: 'http://app:3000' },
    good: STANDARD,
    short: SHORT_STANDARD,
  },
] as const;

describe.each(places)('given a secret in $where', ({ where, set, open, good, short }) => {
  test('of 16 bytes, it is accepted everywhere', () => {
    expect(loadConfig(set(good), '/srv').warnings).toEqual([]);
    expect(problemsOf({ ...set(good), ...open })).toEqual({});
  });

  test('of fewer bytes, it is accepted on loopback with a warning, and rejected elsewhere', () => {
    expect(loadConfig(set(short), '/srv').warnings).toEqual([
      expect.stringMatching(
        new RegExp(`^${where}:? .*is shorter than 16 bytes, which is only safe for tests on this machine`),
      ),
    ]);
    expect(problemsOf({ ...set(short), ...open })).toEqual({
      [where]: expect.stringMatching(
        /is shorter than 16 bytes, and other machines can reach \S+; create a new one: `.*openssl rand/,
      ),
    });
  });

  test.each([
    'replace-me-with-a-long-random-text',
    'whsec_replace-me',
    'whsec_changeMe0000000000000000',
    'your_webhook_secret_here',
    'whsec_…',
    '<the secret of the sender>',
  ])('that is a placeholder, %s, it is always rejected', (placeholder) => {
    expect(problemsOf(set(placeholder))).toEqual({
      [where]: expect.stringContaining('is a placeholder; replace it with a random secret'),
    });
    expect(JSON.stringify(problemsOf(set(placeholder)))).not.toContain(placeholder);
  });
});

test('a long secret of one repeated character counts as short', () => {
  const token = { PORTARIA_OPS_TOKEN: 'a'.repeat(64) };
  expect(loadConfig(token, '/srv').warnings).toEqual([expect.stringContaining('repeats one character')]);
  expect(problemsOf({ ...token, PORTARIA_OPS_HOST: '0.0.0.0' })).toHaveProperty('PORTARIA_OPS_TOKEN');
});

const standardOf = (bytes: Uint8Array) => `whsec_${Buffer.from(bytes).toString('base64')}`;

test.each([
  ['24 times A', standardOf(Buffer.from('A'.repeat(24)))],
  ['zero bytes', standardOf(Buffer.alloc(32))],
  ['zero bytes, no prefix', Buffer.alloc(32).toString('base64')],
  ['four different bytes', standardOf(Buffer.from('abcd'.repeat(8)))],
])('a Standard Webhooks secret of %s counts as short', (_, secret) => {
  const env = { PORTARIA_VERIFY: 'standard', PORTARIA_SECRETS: secret };
  expect(loadConfig(env, '/srv').warnings).toEqual([
    expect.stringMatching(
      /^PORTARIA_SECRETS: secret 1 has fewer than 5 different bytes, which is only safe for tests/,
    ),
  ]);
  expect(problemsOf({ ...env, PORTARIA_HOST: '0.0.0.0' })).toEqual({
    PORTARIA_SECRETS: expect.stringMatching(/has fewer than 5 different bytes, and .*create a new one/),
  });
});

test('a Standard Webhooks secret of five different bytes is accepted', () => {
  const secret = standardOf(Buffer.from('abcde'.repeat(5)));
  const env = { PORTARIA_VERIFY: 'standard', PORTARIA_SECRETS: secret, PORTARIA_HOST: '0.0.0.0' };
  expect(problemsOf(env)).toEqual({});
});

test('a plain secret of two different characters is accepted if it is long enough', () => {
  const env = { PORTARIA_VERIFY: 'token', PORTARIA_SECRETS: 'ab'.repeat(8), PORTARIA_HOST: '0.0.0.0' };
  expect(problemsOf(env)).toEqual({});
});

test.each([
  [{ PORTARIA_VERIFY: 'token', PORTARIA_SECRETS: ' , ,' }, 'PORTARIA_SECRETS'],
  [{ PORTARIA_OPS_HOST: '0.0.0.0', PORTARIA_OPS_TOKEN: '   ' }, 'PORTARIA_OPS_TOKEN'],
  [{ PORTARIA_SOURCES: '{"a":{"verify":"hmac","secrets":["  "]}}' }, 'PORTARIA_SOURCES.a.secrets.0'],
])('blank secrets count as missing: %o', (env, where) => {
  expect(Object.keys(problemsOf(env))).toEqual([where]);
});

test('a key of the provider is rejected only if it is a placeholder', () => {
  const api = { PORTARIA_API_URL: 'http://localhost:4010' };
  expect(problemsOf({ ...api, PORTARIA_API_KEY: 'k' })).toEqual({});
  expect(problemsOf({ ...api, PORTARIA_API_KEY: 'replace-me' })).toHaveProperty('PORTARIA_API_KEY');
});

test('each value in .env.example is rejected', () => {
  const lines = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8').matchAll(
    /^(\w+)=(.*)$/gm,
  );
  const env = Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
  // compose.scale.yaml puts it into the address of the database.
  const { PORTARIA_POSTGRES_PASSWORD: password = '', ...settings } = env;
  const database = { PORTARIA_DATABASE: `postgres://portaria:${password}@postgres:5432/portaria` };
  const problems = problemsOf({ ...settings, ...database, PORTARIA_VERIFY: 'token' });
  expect(Object.keys(problems).sort()).toEqual(Object.keys({ ...settings, ...database }).sort());
  expect(Object.keys(env)).toHaveLength(4);
});

describe('given secret files', () => {
  test('each secret can come from one; trailing line breaks are ignored', () => {
    const { cwd, file } = folder();
    const config = loadConfig(
      {
        PORTARIA_VERIFY: 'token',
        PORTARIA_SECRETS_FILE: file('secrets', `${LONG}\n${OTHER}\n`),
        PORTARIA_OPS_TOKEN_FILE: file('token', `${LONG}\r\n`),
        PORTARIA_FORWARD_URL: 'http://app:3000',
        PORTARIA_FORWARD_SECRET_FILE: file('forward', STANDARD),
        PORTARIA_API_URL: 'http://localhost:4010',
        PORTARIA_API_KEY_FILE: file('key', 'fdc_key\n\n'),
        PORTARIA_SOURCES: JSON.stringify({
          fleet: { verify: 'hmac', secretsFile: file('fleet', `${OTHER}\n${LONG}`) },
        }),
      },
      cwd,
    );
    expect(config).toMatchObject({
      ops: { host: '127.0.0.1', token: LONG },
      forward: { secret: STANDARD },
      api: { key: 'fdc_key' },
      warnings: [],
    });
    expect(config.sources.get('default')?.verify).toMatchObject({ secrets: [LONG, OTHER] });
    expect(config.sources.get('fleet')?.verify).toMatchObject({ secrets: [OTHER, LONG] });
  });

  test('a comma in a line belongs to the secret', () => {
    const { cwd, file } = folder();
    const secrets = file('secrets', `${LONG},${OTHER}\n , ${LONG}\n`);
    const config = loadConfig({ PORTARIA_VERIFY: 'token', PORTARIA_SECRETS_FILE: secrets }, cwd);
    expect(config.sources.get('default')?.verify).toMatchObject({
      secrets: [`${LONG},${OTHER}`, `, ${LONG}`],
    });
  });

  test('a symbolic link to a file is followed, and a byte order mark is ignored', () => {
    const { cwd, file } = folder();
    const sources = JSON.stringify({ fleet: { verify: 'hmac', secretsFile: './link' } });
    symlinkSync(join(cwd, file('target', `\uFEFF${LONG}\n`)), join(cwd, 'link'));
    const env = { PORTARIA_OPS_TOKEN_FILE: './link', PORTARIA_SOURCES: file('sources', `\uFEFF${sources}`) };
    const config = loadConfig(env, cwd);
    expect(config.ops.token).toBe(LONG);
    expect(config.sources.get('fleet')?.verify).toMatchObject({ secrets: [LONG] });
  });

  test('a pipe or a device is rejected without waiting for it', () => {
    const { cwd } = folder();
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    const mistake = 'is not a regular file: name a file or a symbolic link to one';
    expect(
      problemsOf({ PORTARIA_OPS_TOKEN_FILE: './pipe', PORTARIA_API_KEY_FILE: '/dev/zero' }, cwd),
    ).toMatchObject({
      PORTARIA_OPS_TOKEN_FILE: `names ${join(cwd, 'pipe')}, which ${mistake}`,
      PORTARIA_API_KEY_FILE: `names /dev/zero, which ${mistake}`,
    });
    for (const sources of ['./pipe', '/dev/zero'])
      expect(problemsOf({ PORTARIA_SOURCES: sources }, cwd)).toEqual({
        PORTARIA_SOURCES: `is neither JSON (which starts with {) nor a readable file: it ${mistake}`,
      });
  });

  test('a secret and its file set together are the only mistake', () => {
    const { cwd, file } = folder();
    const both = {
      PORTARIA_HOST: '0.0.0.0',
      PORTARIA_VERIFY: 'token',
      PORTARIA_SECRETS: LONG,
      PORTARIA_SECRETS_FILE: file('secrets', OTHER),
      PORTARIA_OPS_HOST: '0.0.0.0',
      PORTARIA_OPS_TOKEN: LONG,
      PORTARIA_OPS_TOKEN_FILE: file('token', OTHER),
      PORTARIA_SOURCES: JSON.stringify({
        fleet: { verify: 'hmac', secrets: [LONG], secretsFile: file('fleet', OTHER) },
      }),
    };
    expect(problemsOf(both, cwd)).toEqual({
      PORTARIA_SECRETS_FILE: 'and PORTARIA_SECRETS are both set; unset one of them',
      PORTARIA_OPS_TOKEN_FILE: 'and PORTARIA_OPS_TOKEN are both set; unset one of them',
      'PORTARIA_SOURCES.fleet.secretsFile': 'and secrets are both set; keep one of them',
    });
  });

  test('an unusable file is the only mistake, with the names of the setting and the file', () => {
    const { cwd, file } = folder();
    mkdirSync(join(cwd, 'a-folder'));
    const problems = problemsOf(
      {
        PORTARIA_VERIFY: 'standard',
        PORTARIA_SECRETS_FILE: './missing',
        PORTARIA_OPS_HOST: '0.0.0.0',
        PORTARIA_OPS_TOKEN_FILE: 'a-folder',
        PORTARIA_FORWARD_SECRET_FILE: file('forward', Buffer.from([0xff, 0xfe, 0x41])),
        PORTARIA_API_URL: 'http://localhost:4010',
        PORTARIA_API_KEY_FILE: file('key', '\n \n'),
        PORTARIA_SOURCES: JSON.stringify({ fleet: { verify: 'hmac', secretsFile: './huge' } }),
        ...(file('huge', 'x'.repeat(70_000)) && {}),
      },
      cwd,
    );
    expect(problems).toEqual({
      PORTARIA_SECRETS_FILE: `names ${join(cwd, 'missing')}, which cannot be read (ENOENT): there is no such file`,
      PORTARIA_OPS_TOKEN_FILE: `names ${join(cwd, 'a-folder')}, which cannot be read (EISDIR): it is a folder; name a file in it`,
      PORTARIA_FORWARD_SECRET_FILE: `names ${join(cwd, 'forward')}, which is not UTF-8 text`,
      PORTARIA_API_KEY_FILE: `names ${join(cwd, 'key')}, which is empty: write the value to it`,
      'PORTARIA_SOURCES.fleet.secretsFile': `names ${join(cwd, 'huge')}, which is longer than 65536 bytes`,
    });
  });

  test('a mistake in the content names the setting of the file, and never quotes the content', () => {
    const { cwd, file } = folder();
    const env = {
      PORTARIA_HOST: '0.0.0.0',
      PORTARIA_VERIFY: 'standard',
      PORTARIA_SECRETS_FILE: file('secrets', `${STANDARD}\nnot base64!\n`),
      PORTARIA_OPS_TOKEN_FILE: file('token', 'two\nlines'),
      PORTARIA_API_URL: 'http://localhost:4010',
      PORTARIA_API_KEY_FILE: file('key', 'clé secrète'),
      PORTARIA_SOURCES: JSON.stringify({ fleet: { verify: 'hmac', secretsFile: file('fleet', 'brief') } }),
    };
    const problems = problemsOf(env, cwd);
    expect(problems).toEqual({
      PORTARIA_SECRETS_FILE: 'secret 2 must be base64, with or without the prefix whsec_',
      PORTARIA_OPS_TOKEN_FILE: 'names a file of several lines; it must contain one line',
      PORTARIA_API_KEY_FILE: 'must be printable ASCII without spaces',
      'PORTARIA_SOURCES.fleet.secretsFile': expect.stringContaining('secret 1 is shorter than 16 bytes'),
    });
    expect(JSON.stringify(problems)).not.toMatch(/not base64!|two|clé|brief/);
  });
});

function folder() {
  const cwd = temporaryFolder();
  return {
    cwd,
    file(name: string, content: string | Buffer): string {
      writeFileSync(join(cwd, name), content);
      return `./${name}`;
    },
  };
}

function problemsOf(env: Record<string, string>, cwd = '/srv'): Record<string, string> {
  try {
    loadConfig(env, cwd);
    return {};
  } catch (error) {
    if (!PortariaError.is(error, 'misconfigured')) throw error;
    const found = error.problems.map(({ where, message }) => [where, message] as const);
    // No setting has two problems.
    expect(new Set(found.map(([where]) => where)).size).toBe(found.length);
    return Object.fromEntries(found);
  }
}
