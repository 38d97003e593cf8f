/** Parameters of the address of a database that the client would ignore, or that contradict something. */
import { expect, test } from 'vitest';
import { problemsOf } from '../../test/support/setting-problems.ts';
import { loadConfig } from './load-config.ts';

const SETTINGS = [
  'PORTARIA_DATABASE',
  'PORTARIA_DATABASE_DIRECT',
  'PORTARIA_COPY_TO',
  'PORTARIA_REAPPLY_FROM',
] as const;

/** Expects that an address is refused by every setting, and not quoted. */
function expectRefused(address: string, message: RegExp): void {
  for (const name of SETTINGS) {
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
