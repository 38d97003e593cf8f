/** Checks of the address of a database: what is no path and no address, and what its parts must have. */
import { isIPv6 } from 'node:net';
import { z } from 'zod';
import { isPostgresAddress, withVerifiedTls } from '../kernel/postgres-address.ts';
import { ONE_HOST, parameterProblem, VALID_PORT } from './database-parameters.ts';
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

const ENCODED = 'must have special characters of the user and password percent-encoded (%2F for /)';

const FILE = 'the path of an SQLite file (with ./ before a relative one that has a colon)';
const FILE_EXPECTED = `must be ${FILE}, or :memory:; no other database is known`;
const DATABASE_EXPECTED = `must be ${FILE}, :memory:, or postgres://user:password@host:port/database; no other database is known`;

/** Returns the first thing that is wrong with a database: a path, or an address of PostgreSQL. */
function databaseProblem(value: string): string | undefined {
  if (!isPostgresAddress(value)) return isPath(value) ? undefined : DATABASE_EXPECTED;
  if (hasSeveralHosts(value)) return ONE_HOST;
  const url = URL.parse(value);
  return url === null ? unreadableProblem(value) : addressProblem(url);
}

const hasSeveralHosts = (value: string): boolean =>
  /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?[^@/?#]*,[^@/?#]*(?:[/?#]|$)/iu.test(value);

/** Returns why an address cannot be read. */
function unreadableProblem(value: string): string {
  const [, authority = '', rest = ''] = /^postgres(?:ql)?:\/\/([^/?#]*)(.*)$/isu.exec(value) ?? [];
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (authority.includes('@') && /^(?::|$)/u.test(host))
    return 'must have a host after @; for the folder of a socket, use postgres://user:password@%2Frun%2Fpostgresql/database, or postgres:///database?host=/run/postgresql&user=app with the password in ~/.pgpass or PGPASSWORD';
  if (!authority.includes('@') && rest.includes('@')) return ENCODED;
  if (host.startsWith('[') && !isIPv6(/^\[([^\]]*)\]/u.exec(host)?.[1] ?? ''))
    return 'must have an IPv6 address in its brackets, such as [::1]';
  if (host.includes(':')) return `${VALID_PORT} after its host (postgres://user:password@host:port/database)`;
  return DATABASE_EXPECTED;
}

function addressProblem(url: URL): string | undefined {
  if (!isEncoded(url)) return ENCODED;
  if (url.searchParams.has('password'))
    return 'must have its password before the host (postgres://user:password@host/database), not as a parameter; or keep it in ~/.pgpass or PGPASSWORD';
  if (isPlaceholder(url.password))
    return 'has a placeholder as its password; replace it with a random one: openssl rand -hex 32';
  return parameterProblem(url);
}

/** An unencoded `/`, `?` or `#` in a password ends the host, and errors would quote the rest of it. */
const isEncoded = ({ username, pathname, search, hash }: URL): boolean =>
  hash === '' && !pathname.includes('@') && (username !== '' || !search.includes('@'));

/** The database of the provider. */
export const databaseFile = z.string().refine(isPath, FILE_EXPECTED);

const checkedDatabase = z.string().superRefine((value, context) => {
  const message = databaseProblem(value);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

/** The database of the receiver: an SQLite file or an address of PostgreSQL. */
export const database = checkedDatabase.transform(withVerifiedTls);

export const postgresDatabase = checkedDatabase
  .refine(isPostgresAddress, 'must be postgres://user:password@host:port/database')
  .transform(withVerifiedTls);
