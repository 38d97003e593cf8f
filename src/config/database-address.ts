/** Checks of the address of a database: what is no path and no address, and what its parts must have. */
import { z } from 'zod';
import { hasPasswordParameter, isPostgresAddress, withVerifiedTls } from '../kernel/postgres-address.ts';
import { ONE_HOST, parameterProblem, PORT } from './database-parameters.ts';
import { isPlaceholder } from './secret-strength.ts';

/**
 * SQLite would create a folder named `mysql:` for an address, and one with the password in its name for a mistyped or
 * quoted address. A path with such characters begins with `./`, `/` or a drive.
 */
function isPath(path: string): boolean {
  if (path === ':memory:' || /^(?:\.{0,2}[/\\](?![/\\])|[a-z]:[/\\](?![/\\]))/iu.test(path)) return true;
  return !LIKE_AN_ADDRESS.some((pattern) => pattern.test(path));
}

const LIKE_AN_ADDRESS = [
  /:\/\/|^["'`<]/u,
  // user:password@host, app@host:password, //user@host
  /(?::|\/\/).*(?:@|%40)|(?:@|%40).*:/iu,
  // user:password, host:port, jdbc:…
  /^[^/\\]*:/u,
  /^(?:postgres(?:ql)?|mysql|mariadb|mssql|sqlserver|sqlite|mongodb|redis|file|jdbc)\/(?:\/|.*:)/iu,
  /\b(?:host|server|data source|dbname|database|user(?: ?id)?|uid|username|password|passwd|pwd|sslmode)\s*=/iu,
];

const hasSeveralHosts = (value: string): boolean =>
  /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?[^@/?#]*,[^@/?#]*(?:[/?#]|$)/iu.test(value);

const isPostgresUrl = (value: string): boolean =>
  isPostgresAddress(value) && (hasSeveralHosts(value) || URL.canParse(value));

const ENCODED = 'must have special characters of the user and password percent-encoded (%2F for /)';

/** Returns why a value is neither a path nor an address that can be read. */
function formProblem(value: string): string | undefined {
  if (isPath(value) || isPostgresUrl(value)) return undefined;
  const [, authority = '', rest = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)(.*)$/isu.exec(value) ?? [];
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (authority.includes('@') && /^(?::|$)/u.test(host))
    return 'must have a host after @; for the folder of a socket, use postgres://user:password@%2Frun%2Fpostgresql/database, or postgres:///database?host=/run/postgresql&user=app with the password in ~/.pgpass or PGPASSWORD';
  if (!authority.includes('@') && rest.includes('@')) return ENCODED;
  if (host.includes(':')) return `${PORT} after its host (postgres://user:password@host:port/database)`;
  return 'must be the path of an SQLite file (with ./ before a relative one that has a colon), :memory:, or postgres://user:password@host:port/database; no other database is known';
}

/** An unencoded `/`, `?` or `#` in a password ends the host, and errors would quote the rest of it. */
const isEncoded = (value: string): boolean => {
  if (!isPostgresAddress(value) || !URL.canParse(value)) return true;
  const { username, pathname, search, hash } = new URL(value);
  return hash === '' && !pathname.includes('@') && (username !== '' || !search.includes('@'));
};

const hasRealPassword = (value: string): boolean =>
  !isPostgresAddress(value) || !URL.canParse(value) || !isPlaceholder(new URL(value).password);

/** The database of the provider. */
export const databaseFile = z
  .string()
  .refine(
    isPath,
    'must be the path of an SQLite file (with ./ before a relative one that has a colon), or :memory:; no other database is known',
  );

function addProblem(context: z.RefinementCtx, message: string | undefined): void {
  if (message !== undefined) context.addIssue({ code: 'custom', message });
}

const checkedDatabase = z
  .string()
  .superRefine((value, context) => {
    addProblem(context, formProblem(value));
  })
  .refine((value) => !hasSeveralHosts(value), ONE_HOST)
  .refine(isEncoded, ENCODED)
  .refine(
    (value) => !isPostgresAddress(value) || !hasPasswordParameter(value),
    'must have its password before the host (postgres://user:password@host/database), not as a parameter; or keep it in ~/.pgpass or PGPASSWORD',
  )
  .superRefine((value, context) => {
    addProblem(context, parameterProblem(value));
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
