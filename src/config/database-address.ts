/** Checks of the address of a database: what the client of PostgreSQL would ignore, or read otherwise than it was meant. */
import { z } from 'zod';
import { hasPasswordParameter, isPostgresAddress, withVerifiedTls } from '../kernel/postgres-address.ts';
import { ONE_HOST, parameterProblem } from './database-parameters.ts';
import { isPlaceholder } from './secret-strength.ts';

/**
 * SQLite would create a folder named `mysql:` for an address, and one with the password in its name for a mistyped or
 * quoted address. A path with such characters begins with `./`, `/` or a drive.
 */
const isPath = (path: string): boolean =>
  /^(?:\.{0,2}[/\\](?![/\\])|[a-z]:[/\\](?![/\\]))/iu.test(path) || !LIKE_AN_ADDRESS.test(path);

const LIKE_AN_ADDRESS =
  /:\/\/|\/\/.*@|:.*@|^["'`<]|^(?:file|jdbc|postgres(?:ql)?):|\b(?:host|dbname|user|password)\s*=/iu;

const hasSeveralHosts = (value: string): boolean => /^postgres(?:ql)?:\/\/(?:[^@/]*@)?[^/?]*,/iu.test(value);

const isPostgresUrl = (value: string): boolean =>
  isPostgresAddress(value) && (hasSeveralHosts(value) || URL.canParse(value));

/** An unencoded `/`, `?` or `#` in a password ends the host, and errors would quote the rest of it. */
const isEncoded = (value: string): boolean => {
  if (!isPostgresAddress(value) || !URL.canParse(value)) return true;
  const { username, pathname, search, hash } = new URL(value);
  return hash === '' && (username !== '' || !`${pathname}${search}`.includes('@'));
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
  .refine((value) => !hasSeveralHosts(value), ONE_HOST)
  .refine(isEncoded, 'must have special characters of the user and password percent-encoded (%2F for /)')
  .refine(
    (value) => !isPostgresAddress(value) || !hasPasswordParameter(value),
    'must have its password before the host (postgres://user:password@host/database), not as a parameter; or keep it in ~/.pgpass or PGPASSWORD',
  )
  .superRefine((value, context) => {
    const message = parameterProblem(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  })
  .refine(
    hasRealPassword,
    'has a placeholder as its password; replace it with a random one: openssl rand -hex 32',
  );

/** The database of the receiver: an SQLite file or an address of PostgreSQL. */
export const database = checkedDatabase.transform(withVerifiedTls);

export const postgresDatabase = checkedDatabase
  .refine(isPostgresUrl, 'must be postgres://user:password@host:port/database')
  .transform(withVerifiedTls);
