/** Forms of the address of a database: what is an address, what is a path, and what is refused as neither. */
import { expect, test } from 'vitest';
import { DATABASE_SETTINGS, problemsOf } from '../../test/support/setting-problems.ts';
import { loadConfig } from './load-config.ts';

const PERCENT_ENCODED = /^must have special characters of the user and password percent-encoded/;

test.each([
  [
    'postgres://app:SECRET@/portaria?host=/run/postgresql',
    /^must have a host after @; .* postgres:\/\/user:password@%2Frun%2Fpostgresql\/database, or postgres:\/\/\/database\?host=\/run\/postgresql&user=app with/,
  ],
  ['postgres://app@/portaria', /^must have a host after @/],
  ['postgres://app:SECRET@', /^must have a host after @/],
  ['postgres://app:SECRET@?host=/run/postgresql', /^must have a host after @/],
  ['postgres://app:SECRET@:5432/portaria', /^must have a host after @/],
  ['postgres://app:SECRET@db:99999999/portaria', /^must have a port from 1 to 65535/],
  ['postgres://db:SECRET/portaria', /^must have a port from 1 to 65535/],
  ['postgres://app:SECRET', /^must have a port from 1 to 65535/],
  ['postgres://app:SECRET@[::zz]/portaria', /^must have an IPv6 address in its brackets/],
  ['postgres://app:SECRET@[::1]:99999/portaria', /^must have a port from 1 to 65535/],
  ['postgres://app:SECRET@[::1/portaria', /^must have an IPv6 address/],
  ['postgres://app:SE/CRET@db/portaria', PERCENT_ENCODED],
  ['postgres://app:SE#CRET@db/portaria', PERCENT_ENCODED],
  ['postgres://app:a@SE/CRET@db/portaria', PERCENT_ENCODED],
])('an address that cannot be read is refused with what it lacks: %s', (address, message) => {
  for (const name of DATABASE_SETTINGS) {
    const problems = problemsOf({ [name]: address });
    expect(problems).toEqual({ [name]: expect.stringMatching(message) as string });
    expect(JSON.stringify(problems)).not.toMatch(/SECRET|CRET/);
  }
});

test.each([
  'postgres:///portaria?host=/run/postgresql&user=app',
  'postgres://app:a@%2Frun%2Fpostgresql/portaria',
  'postgres://%2Frun%2Fpostgresql:5433/portaria',
])('the folder of a socket is a host: %s', (address) => {
  for (const name of DATABASE_SETTINGS) expect(() => loadConfig({ [name]: address }, '/srv')).not.toThrow();
});

test.each([
  '"postgres://app:SECRET@db/portaria"',
  "'postgres://app:SECRET@db/portaria'",
  '<postgres://app:SECRET@db/portaria>',
  'postgres//app:SECRET@db/portaria',
  '//app:SECRET@db/portaria',
  'jdbc:postgresql://db/portaria?user=app&password=SECRET',
  'PORTARIA_DATABASE=postgres://app:SECRET@db/portaria',
  'psql postgres://app:SECRET@db/portaria',
  'host=db user=app password=SECRET dbname=portaria',
  'app:SE/CRET@db/portaria',
  'app:SECRET@db.internal/portaria',
  'Server=db;Database=portaria;Uid=app;Pwd=SECRET;',
  'Data Source=db;User Id=app;PWD = SECRET',
  'pwd=SECRET',
  'uid=app SECRET',
  'username=app passwd=SECRET',
  'sslmode=require SECRET',
  'postgres//app:SECRET%40db/portaria',
  'postgresql//db/SECRET',
  'mysql//db/SECRET',
  'postgres:/app:SECRET%40db/portaria',
  'postgres/app:SECRET%40db/portaria',
  'postgres/app:SECRET/portaria',
  'mysql:/db/SECRET',
  'app:SECRET%40db/portaria',
  'app%40db:SECRET/portaria',
  'app@db:SECRET/portaria',
  'app:SECRET',
  'app:SECRET/portaria',
  'db:5432/SECRET',
])('a mistyped or quoted address, or one of another form, is no path, and is not quoted: %s', (given) => {
  for (const name of DATABASE_SETTINGS) {
    const problems = problemsOf({ [name]: given });
    expect(problems).toHaveProperty(name);
    expect(JSON.stringify(problems)).not.toMatch(/SECRET|CRET/);
  }
});

test('a path with a colon begins with ./', () => {
  expect(problemsOf({ PORTARIA_DATABASE: 'a:b.db' })).toEqual({
    PORTARIA_DATABASE: expect.stringMatching(
      /^must be the path of an SQLite file \(with \.\/ before a relative one that has a colon\)/,
    ) as string,
  });
});

test.each([
  './data/portaria.db',
  'data/portaria.db',
  'portaria.db',
  '../portaria.db',
  'C:\\data\\portaria.db',
  'c:/data/portaria.db',
  '/var/lib/portaria:1/x.db',
  '/srv/pwd=1/x.db',
  './a:b.db',
  './a:b@c.db',
  '/srv/x://y.db',
  '../"quoted".db',
  'C:\\data\\a@b.db',
  'postgres/portaria.db',
  'data/2026-01-31T10:00/portaria.db',
  'server/user/password.db',
  ':memory:',
])('%s is the path of a file', (PORTARIA_DATABASE) => {
  expect(() => loadConfig({ PORTARIA_DATABASE }, '/srv')).not.toThrow();
});

test.each([
  'postgres://app:SECRET@one,two/portaria',
  'postgres://one:1,two:2/portaria',
  'postgres://one,two',
])('an address names one host: %s', (address) => {
  for (const name of DATABASE_SETTINGS)
    expect(problemsOf({ [name]: address })).toEqual({
      [name]: expect.stringMatching(/^must name one host/) as string,
    });
});

test('a comma in a password is no second host', () => {
  const PORTARIA_DATABASE = 'postgres://app:a,b@db/portaria';

  expect(loadConfig({ PORTARIA_DATABASE }, '/srv').database).toBe(PORTARIA_DATABASE);
});
