/** Parameters of the address of a database that the client would ignore, or that contradict something. */
import { expect, test } from 'vitest';
import { DATABASE_SETTINGS, problemsOf } from '../../test/support/setting-problems.ts';
import { loadConfig } from './load-config.ts';

/** Expects that an address is refused by every setting, and not quoted. */
function expectRefused(address: string, message: RegExp): void {
  for (const name of DATABASE_SETTINGS) {
    const problems = problemsOf({ [name]: address });
    expect(problems).toEqual({ [name]: expect.stringMatching(message) as string });
    expect(JSON.stringify(problems)).not.toContain('SECRET');
  }
}

test.each([
  '-c%20application_name%3Dx%3Bsslmode%3Drequire',
  '-c%20search_path=a?sslmode=require',
  '-c%20search_path=a%26sslmode=require',
  '-c%20search_path=a%2526sslmode=require',
  '-c%20search_path=a,%20SSLMODE%20=require',
  '-c%20search_path=a|ssl=true',
  '-c%20search_path=a%20sslrootcert=/srv/ca.pem',
  '-c%20sslmode=require',
  'sslmode=require',
  '-c%20search_path=a?uselibpqcompat=true',
  '-c%20search_path=a%26application_name=x',
  '-c%20search_path=a;password=SECRET',
])('options of the server hide no parameter: options=%s', (options) => {
  expectRefused(
    `postgres://app:SECRET@db/portaria?options=${options}`,
    /^must have \? before its first parameter and & before each other one/,
  );
});

test.each([
  '-c%20search_path=portaria,public',
  '-c%20search_path=a%20-c%20work_mem=64MB',
  '--search_path=portaria%20--jit=off',
  '-c%20app.sslmode=x',
  '-c%20TimeZone=America/Sao_Paulo',
  "-c%20log_line_prefix='%25m|user=%25u;db=%25d'",
])('options have settings of the server: options=%s', (options) => {
  const PORTARIA_DATABASE = `postgres://app:a@db/portaria?options=${options}&sslmode=verify-full`;

  expect(loadConfig({ PORTARIA_DATABASE }, '/srv').database).toBe(PORTARIA_DATABASE);
});

const PORT = /^must have a port from 1 to 65535/;
const ONE_HOST = /^must name one host: set the address of a proxy/;
const HOST =
  /^must have a host name, an IP address or the folder of a socket as host; a port belongs in port/;
const NEGOTIATION = /^has an unknown sslnegotiation.*use one of postgres, direct/;

test.each([
  ['db/portaria?port=abc', PORT],
  ['db/portaria?port=-1', PORT],
  ['db/portaria?port=0', PORT],
  ['db/portaria?port=99999999', PORT],
  ['db/portaria?port=5432x', PORT],
  ['db:0/portaria', PORT],
  ['/portaria?host=one,two', ONE_HOST],
  ['/portaria?host=/run/one,/run/two', ONE_HOST],
  ['/portaria?host=db:5432', HOST],
  ['/portaria?host=[::1]', HOST],
  ['/portaria?host=run/postgresql', HOST],
  ['/portaria?host=app:SECRET%40db', HOST],
  ['/portaria?user=app:SECRET', /^must have a user without a colon; keep the password in ~\/\.pgpass/],
  ['db/portaria?sslnegotiation=dirct', /unknown sslnegotiation \(did you mean direct\?\)/],
  ['db/portaria?sslnegotiation=tls', NEGOTIATION],
  ['db/portaria?uselibpqcompat=yes', /^has an unknown value of uselibpqcompat; use true or false/],
])('a value that the client cannot use is refused: %s', (rest, message) => {
  expectRefused(`postgres://${rest}`, message);
});

const asksForTls = (off: string, name: string) =>
  new RegExp(`^has both ${off} and ${name}, which asks for TLS; remove one of them`);

test.each([
  [
    'sslnegotiation=direct&sslmode=disable',
    /^has sslnegotiation=direct without TLS; set sslmode=verify-full/,
  ],
  [
    'sslnegotiation=direct&ssl=0',
    /^has sslnegotiation=direct without TLS; remove ssl, or remove sslnegotiation/,
  ],
  [
    'uselibpqcompat=true&sslmode=verify-ca',
    /^has sslmode=verify-ca without sslrootcert; add sslrootcert=<file of the authority>, or use sslmode=verify-full/,
  ],
  ['ssl=0&sslrootcert=/srv/ca.pem', asksForTls('ssl=0', 'sslrootcert')],
  ['sslmode=disable&sslrootcert=/srv/ca.pem', asksForTls('sslmode=disable', 'sslrootcert')],
  ['sslkey=/srv/key.pem&ssl=0', asksForTls('ssl=0', 'sslkey')],
])('parameters that contradict each other are refused: %s', (given, message) => {
  expectRefused(`postgres://app:SECRET@db/portaria?${given}`, message);
});

test.each([
  'db/portaria?port=5433',
  '/portaria?host=db.internal&port=65535&user=app',
  '/portaria?host=/run/postgresql',
  '/portaria?host=::1&port=5432',
  'db/portaria?sslnegotiation=direct',
  'db/portaria?sslnegotiation=direct&sslmode=no-verify',
  'db/portaria?sslnegotiation=direct&ssl=true',
  'db/portaria?sslnegotiation=postgres&sslmode=disable',
  'db/portaria?ssl=0',
  'db/portaria?ssl=true&sslrootcert=/srv/ca.pem',
  'db/portaria?uselibpqcompat=true&sslmode=verify-ca&sslrootcert=/srv/ca.pem',
  'db/portaria?uselibpqcompat=false',
])('values that the client can use are accepted: %s', (rest) => {
  const address = `postgres://${rest}`;

  for (const name of DATABASE_SETTINGS) expect(() => loadConfig({ [name]: address }, '/srv')).not.toThrow();
});

test.each([
  ['postgres://app:SECRET@db/portaria?host=other', 'host'],
  ['postgres://app:SECRET@db/portaria?host=/run/postgresql', 'host'],
  ['postgres://app:SECRET@%2Frun%2Fpostgresql/portaria?host=db', 'host'],
  ['postgres://app:SECRET@db:5432/portaria?port=5433', 'port'],
  ['postgres://app:SECRET@db/portaria?user=app', 'user'],
])('a parameter does not lead to another server than the one before it: %s', (address, name) => {
  expectRefused(
    address,
    new RegExp(
      `^has a ${name} in front of the name of the database and a parameter ${name}; remove one of them`,
    ),
  );
});

test('the name of the database is no parameter', () => {
  expectRefused(
    'postgres://db/portaria?dbname=other',
    /^has the parameter dbname, which is not known; remove it/,
  );
});
