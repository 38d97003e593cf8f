/** The settings that name a database: PORTARIA_DATABASE, PORTARIA_DATABASE_DIRECT, PORTARIA_COPY_TO, PORTARIA_REAPPLY_FROM. */
import { expect, test } from 'vitest';
import { problemsOf } from '../../test/support/setting-problems.ts';
import { loadConfig } from './load-config.ts';

test.each([
  ['mysql://portaria:SECRET@db/portaria', 'mysql://…@db/portaria'],
  ['postgres://', 'postgres://'],
  ['postgresql:portaria', 'postgresql:portaria'],
  ['sqlite:///srv/p.db', 'sqlite:///srv/p.db'],
  ['file:p.db', 'file:p.db'],
])('the database %s is no path', (PORTARIA_DATABASE, quoted) => {
  expect(problemsOf({ PORTARIA_DATABASE })).toEqual({
    PORTARIA_DATABASE: `must be the path of an SQLite file, :memory:, or postgres://user:password@host:port/database; no other database is known; got "${quoted}"`,
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
  ['sslmode=require&sslmode=prefer', 'sslmode=verify-full&sslmode=verify-full'],
  ['sslmode=Require', 'sslmode=verify-full'],
  ['sslmode=%72equire', 'sslmode=verify-full'],
  ['sslmode=allow', 'sslmode=verify-full'],
  ['sslmode=&application_name=x', 'sslmode=&application_name=x'],
  ['sslmode=disable', 'sslmode=disable'],
  ['sslmode=no-verify', 'sslmode=no-verify'],
  ['uselibpqcompat=true&sslmode=require', 'uselibpqcompat=true&sslmode=require'],
])('the server of a database has to prove who it is: %s becomes %s', (given, becomes) => {
  for (const [name, setting] of [
    ['PORTARIA_DATABASE', 'database'],
    ['PORTARIA_DATABASE_DIRECT', 'databaseDirect'],
    ['PORTARIA_COPY_TO', 'copyTo'],
    ['PORTARIA_REAPPLY_FROM', 'reapplyFrom'],
  ] as const) {
    const config = loadConfig({ [name]: `postgres://app:a%2Fb@db/portaria?${given}` }, '/srv');

    expect(config[setting]).toBe(`postgres://app:a%2Fb@db/portaria?${becomes}`);
  }
});

test('the password of a database is no parameter, and no message repeats it', () => {
  for (const name of [
    'PORTARIA_DATABASE',
    'PORTARIA_DATABASE_DIRECT',
    'PORTARIA_COPY_TO',
    'PORTARIA_REAPPLY_FROM',
  ]) {
    const problems = problemsOf({ [name]: 'postgres://app@db/portaria?sslmode=require&password=SECRET' });
    expect(problems).toHaveProperty(name, expect.stringContaining('must have its password before the host'));
    expect(JSON.stringify(problems)).not.toContain('SECRET');
  }
});
