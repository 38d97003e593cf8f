/** The schemas that settings share. Each message says what a value must be, so that it follows the name. */
import { z } from 'zod';
import { hasPasswordParameter, isPostgresAddress, withVerifiedTls } from '../kernel/postgres-address.ts';
import { parsePeriod } from '../kernel/time/durations.ts';
import { isPlaceholder } from './secret-strength.ts';

export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${String(min)} to ${String(max)}`)
    .transform(Number)
    .refine(
      (value) => value >= min && value <= max,
      `must be a whole number from ${String(min)} to ${String(max)}`,
    );

export const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

export const trueOrFalse = oneOf(['true', 'false']).transform((value) => value === 'true');

export const port = wholeNumber(0, 65_535);

/**
 * A mistyped `mysql://…` is not a path: SQLite would create a folder of that name. `./x://y` is a path. Neither is
 * `user:password@host/…`, an address without its scheme.
 */
const isPath = (path: string): boolean =>
  !/^(?:[a-z][a-z\d+.-]*:\/\/|file:|postgres(?:ql)?:|[^/\\]+:[^/\\]*@)/iu.test(path);

const hasSeveralHosts = (value: string): boolean => /^postgres(?:ql)?:\/\/(?:[^@/]*@)?[^/?]*,/iu.test(value);

const isPostgresUrl = (value: string): boolean =>
  isPostgresAddress(value) && (hasSeveralHosts(value) || URL.canParse(value));

/** An unencoded `/`, `?` or `#` in a password ends the host, and errors would quote the rest of it. */
const isEncoded = (value: string): boolean => {
  if (!isPostgresAddress(value) || !URL.canParse(value)) return true;
  const { username, pathname, search, hash } = new URL(value);
  return hash === '' && (username !== '' || !`${pathname}${search}`.includes('@'));
};

/** The client ignores a parameter that it does not know, and would not encrypt. */
const hasKnownTlsMode = (value: string): boolean => {
  if (!isPostgresAddress(value) || !URL.canParse(value)) return true;
  const { search, searchParams } = new URL(value);
  const isMeant = (name: string): boolean => /^\s*ssl[_-]?mode\s*$/iu.test(name);
  return (
    !/;\s*ssl/iu.test(search) &&
    [...searchParams].every(([name, mode]) => !isMeant(name) || (name === 'sslmode' && mode !== ''))
  );
};

const hasRealPassword = (value: string): boolean =>
  !isPostgresAddress(value) || !URL.canParse(value) || !isPlaceholder(new URL(value).password);

/** The database of the provider. */
export const databaseFile = z
  .string()
  .refine(isPath, 'must be the path of an SQLite file, or :memory:; no other database is known');

const checkedDatabase = z
  .string()
  .refine(
    (value) => isPath(value) || isPostgresUrl(value),
    'must be the path of an SQLite file, :memory:, or postgres://user:password@host:port/database; no other database is known',
  )
  .refine(
    (value) => !hasSeveralHosts(value),
    'must name one host: set the address of a proxy, or of a virtual address, that follows the primary',
  )
  .refine(isEncoded, 'must have special characters of the user and password percent-encoded (%2F for /)')
  .refine(
    (value) => !isPostgresAddress(value) || !hasPasswordParameter(value),
    'must have its password before the host (postgres://user:password@host/database), not as a parameter; or keep it in ~/.pgpass or PGPASSWORD',
  )
  .refine(
    hasKnownTlsMode,
    'must have the mode of TLS as sslmode=verify-full, or another one, between ? or & and the next &: the client ignores other spellings, and would not encrypt',
  )
  .refine(
    hasRealPassword,
    'has a placeholder as its password; replace it with a random one: openssl rand -hex 32',
  );

/** The database of the receiver: an SQLite file or an address of PostgreSQL. */
export const database = checkedDatabase.transform(withVerifiedTls);

export const postgresDatabase = checkedDatabase
  .refine(isPostgresUrl, 'must be postgres://user:password@host:port/database')
  .transform(withVerifiedTls);

/** The name of a header, in lower case. */
export const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of an HTTP header')
  .transform((name) => name.toLowerCase());

export const httpUrl = z
  .string()
  .refine(
    (url) => /^https?:\/\//.test(url) && URL.canParse(url),
    'must be a URL that starts with http:// or https://',
  );

/** The base of an API, to which paths are appended. */
export const apiUrl = httpUrl.refine((url) => {
  if (!URL.canParse(url)) return true;
  const { username, password, search, hash } = new URL(url);
  return [username, password, search, hash].every((part) => part === '');
}, 'must not contain a user name, password, query or fragment');

/** A URL that `fetch` can post to: it rejects one with a user name or password. */
export const postUrl = httpUrl.refine((url) => {
  if (!URL.canParse(url)) return true;
  const { username, password } = new URL(url);
  return username === '' && password === '';
}, 'must not contain a user name or password; the receiver verifies the signature instead');

/** How long content is kept, in milliseconds; null for ever. */
export const keptFor = z.string().transform((value, context) => {
  if (value === 'forever') return null;
  const ms = parsePeriod(value) ?? 0;
  if (ms > 0) return ms;
  context.addIssue({ code: 'custom', message: 'must be a period such as 12h, 180d or 26w, or forever' });
  return z.NEVER;
});

/** Secrets: separated by commas in a variable. A file has one on each line, where a comma is part of it. */
export const secretList = z.union([
  z.array(z.string()),
  z.string().transform((list) =>
    list
      .split(',')
      .map((secret) => secret.trim())
      .filter((secret) => secret !== ''),
  ),
]);

export const errorStatuses = z
  .string()
  .refine(
    (list) => list === 'none' || /^[45]\d\d(\s*,\s*[45]\d\d)*$/.test(list),
    'must be none, or HTTP statuses from 400 to 599, separated by commas',
  )
  .transform((list) => (list === 'none' ? [] : list.split(',').map(Number)));
