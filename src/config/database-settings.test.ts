/** The settings that name a database: PORTARIA_DATABASE, PORTARIA_DATABASE_DIRECT, and their files. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { problemsOf } from '../../test/support/setting-problems.ts';
import { loadConfig } from './load-config.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';

const SETTINGS = [
  ['PORTARIA_DATABASE', 'database'],
  ['PORTARIA_DATABASE_DIRECT', 'databaseDirect'],
] as const;

test.each([
  'mysql://portaria:SECRET@db/portaria',
  'postgres://',
  'postgresql:portaria',
  'sqlite:///srv/p.db',
  'file:p.db',
])('the database %s is no path, and is not quoted', (PORTARIA_DATABASE) => {
  expect(problemsOf({ PORTARIA_DATABASE })).toEqual({
    PORTARIA_DATABASE:
      'must be the path of an SQLite file (with ./ before a relative one that has a colon), :memory:, or postgres://user:password@host:port/database; no other database is known',
  });
});

test.each(['postgres://portaria:SECRET@db/portaria', 'postgresql://db:5433/portaria?sslmode=verify-full'])(
  'the database %s is an address, and stays as it is',
  (PORTARIA_DATABASE) => {
    expect(loadConfig({ PORTARIA_DATABASE }, '/srv').database).toBe(PORTARIA_DATABASE);
  },
);

test.each([
  ['sslmode=require', 'sslmode=verify-full'],
  ['application_name=x&sslmode=prefer', 'application_name=x&sslmode=verify-full'],
  ['sslmode=verify-ca&sslrootcert=/srv/ca.pem', 'sslmode=verify-full&sslrootcert=/srv/ca.pem'],
  ['sslmode=verify-full', 'sslmode=verify-full'],
  ['options=-c%20search_path=app&sslmode=require', 'options=-c%20search_path=app&sslmode=verify-full'],
  ['sslmode=%72equire', 'sslmode=verify-full'],
  ['sslmode=disable', 'sslmode=disable'],
  ['sslmode=no-verify', 'sslmode=no-verify'],
  ['uselibpqcompat=true&sslmode=require', 'uselibpqcompat=true&sslmode=require'],
])('the server of a database has to prove who it is: %s becomes %s', (given, becomes) => {
  for (const [name, setting] of SETTINGS) {
    const config = loadConfig({ [name]: `postgres://app:a%2Fb@db/portaria?${given}` }, '/srv');

    expect(config[setting]).toBe(`postgres://app:a%2Fb@db/portaria?${becomes}`);
  }
});

const SEPARATORS = /^must have \? before its first parameter and & before each other one/;
const MODES = 'disable, no-verify, prefer, require, verify-ca, verify-full';

test.each([
  [
    'sslMode=verify-full',
    /^has the parameter sslMode, which is not known; did you mean sslmode\? Known parameters: sslmode, /,
  ],
  ['SSLMODE=require', /^has the parameter SSLMODE, .* did you mean sslmode\?/],
  ['ssl_mode=verify-full', /^has the parameter ssl_mode, .* did you mean sslmode\?/],
  ['sslmod=require', /^has the parameter sslmod, .* did you mean sslmode\?/],
  ['tls=true', /^has the parameter tls, which is not known; remove it\. Known parameters: /],
  [
    'connect_timeout=10',
    /^has the parameter connect_timeout, which is not known; remove it\. Known parameters: /,
  ],
  ['sslmode%20=verify-full', /^has a parameter, which is not known; did you mean sslmode\?/],
  ['application_name=x;sslmode=require', SEPARATORS],
  ['application_name=x?sslmode=require', SEPARATORS],
  ['application_name=x,sslmode=require', SEPARATORS],
  ['port=5432%3Fsslmode=verify-full', SEPARATORS],
  ['sslrootcert=', /^has no value of sslrootcert; give it one, or remove it/],
  ['sslmode=verify-full&sslmode=disable', /^has a parameter twice; remove one of them/],
  ['ssl=true&sslmode=disable', /^has both ssl and sslmode; remove ssl/],
  ['sslmode=&application_name=x', new RegExp(`^has an unknown sslmode; use one of ${MODES}`)],
  [
    'sslmode=requre',
    new RegExp(`^has an unknown sslmode \\(did you mean require\\?\\); use one of ${MODES}`),
  ],
  ['sslmode=verify_full', /did you mean verify-full\?/],
  ['sslmode=allow', /^has an unknown sslmode/],
  ['ssl=yes', /^has an unknown value of ssl; use ssl=true, or sslmode instead/],
])('a misspelt parameter does not leave the connection unencrypted: %s', (given, message) => {
  for (const [name] of SETTINGS) {
    expect(problemsOf({ [name]: `postgres://app:SECRET@db/portaria?${given}` })).toEqual({
      [name]: expect.stringMatching(message) as string,
    });
  }
});

test.each(['&sslmode=require', ';sslmode=verify-full', '%3Fsslmode=verify-full', '%26sslmode=require'])(
  'a parameter does not become part of the name of the database: portaria%s',
  (given) => {
    for (const [name] of SETTINGS)
      expect(problemsOf({ [name]: `postgres://app:SECRET@db/portaria${given}` })).toEqual({
        [name]: expect.stringMatching(SEPARATORS) as string,
      });
  },
);

test('PGSSLMODE, by which the client encrypts, is checked beside an address of PostgreSQL', () => {
  const PGSSLMODE = 'requre';

  expect(problemsOf({ PGSSLMODE, PORTARIA_DATABASE: 'postgres://app:SECRET@db/portaria' })).toEqual({
    PGSSLMODE: `has an unknown sslmode (did you mean require?); use one of ${MODES}`,
  });
  expect(loadConfig({ PGSSLMODE, PORTARIA_DATABASE: 'p.db' }, '/srv').database).toBe('/srv/p.db');
});

test('PGSSLNEGOTIATION is checked beside an address of PostgreSQL', () => {
  const PORTARIA_DATABASE = 'postgres://app:SECRET@db/portaria';
  const direct = { PGSSLNEGOTIATION: 'direct' };
  const withoutTls = (names: string) => ({
    PGSSLNEGOTIATION: `is direct, but ${names} has no TLS; add sslmode=verify-full to that address, or unset this`,
  });

  expect(problemsOf({ PGSSLNEGOTIATION: 'dirct', PORTARIA_DATABASE })).toEqual({
    PGSSLNEGOTIATION: 'has an unknown sslnegotiation (did you mean direct?); use one of postgres, direct',
  });
  for (const env of [{ PORTARIA_DATABASE }, { PGSSLMODE: 'disable', PORTARIA_DATABASE }])
    expect(problemsOf({ ...direct, ...env })).toEqual(withoutTls('PORTARIA_DATABASE'));
  expect(problemsOf({ ...direct, PORTARIA_DATABASE: `${PORTARIA_DATABASE}?sslmode=disable` })).toEqual(
    withoutTls('PORTARIA_DATABASE'),
  );
  expect(problemsOf({ ...direct, PORTARIA_DATABASE_FILE: givenFile(PORTARIA_DATABASE) })).toEqual(
    withoutTls('PORTARIA_DATABASE_FILE'),
  );
  for (const env of [
    { PORTARIA_DATABASE: 'p.db' },
    { PORTARIA_DATABASE, PGSSLMODE: 'require' },
    { PORTARIA_DATABASE: `${PORTARIA_DATABASE}?sslmode=verify-full` },
    { PORTARIA_DATABASE: `${PORTARIA_DATABASE}?ssl=true` },
    { PORTARIA_DATABASE: `${PORTARIA_DATABASE}?sslrootcert=/srv/ca.pem` },
    { PORTARIA_DATABASE: `${PORTARIA_DATABASE}?sslnegotiation=postgres` },
  ])
    expect(() => loadConfig({ ...direct, ...env }, '/srv')).not.toThrow();
});

test('the password of a database is no parameter, and no message repeats it', () => {
  for (const name of ['PORTARIA_DATABASE', 'PORTARIA_DATABASE_DIRECT']) {
    const problems = problemsOf({ [name]: 'postgres://app@db/portaria?sslmode=require&password=SECRET' });
    expect(problems).toHaveProperty(name, expect.stringContaining('must have its password before the host'));
    expect(JSON.stringify(problems)).not.toContain('SECRET');
  }
});

/** A file as a container platform mounts a secret, removed when the test ends. */
function givenFile(content: string): string {
  const folder = temporaryFolder();
  const file = join(folder, 'address');
  writeFileSync(file, content);
  return file;
}

test.each(SETTINGS)('%s can come from a file, with the same checks', (name, setting) => {
  const file = givenFile('postgres://app:a%2Fb@db/portaria?sslmode=require\n');

  const config = loadConfig({ [`${name}_FILE`]: file }, '/srv');

  expect(config[setting]).toBe('postgres://app:a%2Fb@db/portaria?sslmode=verify-full');
  expect(config.warnings).toEqual([]);
});

test.each(SETTINGS)('%s is not set twice, by value and by file', (name) => {
  const address = 'postgres://app:SECRET@db/portaria';

  expect(problemsOf({ [name]: address, [`${name}_FILE`]: givenFile(address) })).toEqual({
    [`${name}_FILE`]: `and ${name} are both set; unset one of them`,
  });
});

test('an empty variable leaves the file alone, as in an image that sets one', () => {
  const file = givenFile('postgres://app:SECRET@db/portaria');

  const { database } = loadConfig({ PORTARIA_DATABASE: '', PORTARIA_DATABASE_FILE: file }, '/srv');

  expect(database).toBe('postgres://app:SECRET@db/portaria');
});

test('a file with a password alone is no path of an SQLite file', () => {
  expect(problemsOf({ PORTARIA_DATABASE_FILE: givenFile('SECRET') })).toEqual({
    PORTARIA_DATABASE_FILE:
      'must name a file with a whole address (postgres://user:password@host/database), not with a password alone; the path of an SQLite file belongs in PORTARIA_DATABASE',
  });
});

test.each([
  ['postgres:app:SECRET@db/portaria', /^must be /],
  ['postgres://app:SECRET@one,two/portaria', /^must name one host/],
  ['postgres://app:SECRET@db/portaria\nSECRET', /several lines; it must contain one line$/],
])('a mistake in a file is named without its content: %s', (content, message) => {
  for (const [name] of SETTINGS) {
    const problems = problemsOf({ [`${name}_FILE`]: givenFile(content) });

    expect(problems).toEqual({ [`${name}_FILE`]: expect.stringMatching(message) as string });
    expect(JSON.stringify(problems)).not.toContain('SECRET');
  }
});
