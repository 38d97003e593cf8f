/** Forms of the address of a database: what is an address, what is a path, and what is refused as neither. */
import { expect, test } from 'vitest';
import { problemsOf } from '../../test/support/setting-problems.ts';
import { loadConfig } from './load-config.ts';

const SETTINGS = [
  'PORTARIA_DATABASE',
  'PORTARIA_DATABASE_DIRECT',
  'PORTARIA_COPY_TO',
  'PORTARIA_REAPPLY_FROM',
] as const;

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
  [
    'postgres://app:SE/CRET@db/portaria',
    /^must have special characters of the user and password percent-encoded/,
  ],
  [
    'postgres://app:SE#CRET@db/portaria',
    /^must have special characters of the user and password percent-encoded/,
  ],
  [
    'postgres://app:a@SE/CRET@db/portaria',
    /^must have special characters of the user and password percent-encoded/,
  ],
])('an address that cannot be read is refused with what it lacks: %s', (address, message) => {
  for (const name of SETTINGS) {
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
  for (const name of SETTINGS) expect(() => loadConfig({ [name]: address }, '/srv')).not.toThrow();
});
