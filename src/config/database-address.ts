/** Checks of the address of a database: what the client of PostgreSQL would ignore, or read otherwise than it was meant. */
import { z } from 'zod';
import { hasPasswordParameter, isPostgresAddress, withVerifiedTls } from '../kernel/postgres-address.ts';
import { suggest } from '../kernel/text/suggest.ts';
import { isPlaceholder } from './secret-strength.ts';

/** The modes of TLS that the client knows. */
const TLS_MODES = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

/** Parameters that the client knows, without those that the receiver sets itself, as timeouts. */
const PARAMETERS = [
  ...['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'uselibpqcompat', 'ssl'],
  ...['host', 'port', 'user', 'application_name', 'fallback_application_name', 'options'],
] as const;

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

/** Returns what is wrong with the parameters of an address: the client would ignore it, and might not encrypt. */
function parameterProblem(value: string): string | undefined {
  if (!isPostgresAddress(value) || !URL.canParse(value)) return undefined;
  const { pathname, searchParams } = new URL(value);
  // `options` has settings of the server: -c search_path=portaria.
  const values = [...searchParams].flatMap(([name, text]) => (name === 'options' ? [] : [text]));
  const texts = [pathname, decoded(pathname), ...values];
  if (texts.some((text) => /[?&;,|\s](?:ssl|[a-z_]+=)/iu.test(text)))
    return 'must have ? before its first parameter and & before each other one';
  const names = [...searchParams.keys()];
  if (new Set(names).size < names.length) return 'has a parameter twice; remove one of them';
  if (searchParams.has('ssl') && searchParams.has('sslmode')) return 'has both ssl and sslmode; remove ssl';
  const problems = [...searchParams].flatMap(([name, text]) => oneProblem(name, text) ?? []);
  return problems.length === 0 ? undefined : [...new Set(problems)].join('; ');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function oneProblem(name: string, text: string): string | undefined {
  if (name === 'sslmode') return tlsModeProblem(text);
  if (name === 'ssl' && !['true', '1', '0'].includes(text))
    return 'has an unknown value of ssl; use ssl=true, or sslmode instead';
  if ((PARAMETERS as readonly string[]).includes(name))
    return text === '' ? `has no value of ${name}; give it one, or remove it` : undefined;
  const closest = suggest(name, PARAMETERS);
  // What is no name may be a part of the password.
  const quoted = /^[\w-]{1,40}$/u.test(name) ? `the parameter ${name}` : 'a parameter';
  const remedy = closest === undefined ? 'remove it.' : `did you mean ${closest}?`;
  return `has ${quoted}, which is not known; ${remedy} Known parameters: ${PARAMETERS.join(', ')}`;
}

/** Returns what is wrong with a mode of TLS; the client would not encrypt. */
export function tlsModeProblem(mode: string): string | undefined {
  if ((TLS_MODES as readonly string[]).includes(mode)) return undefined;
  const closest = suggest(mode, TLS_MODES);
  const meant = closest === undefined ? '' : `; did you mean ${closest}?`;
  return `must have a TLS mode (sslmode) of ${TLS_MODES.join(', ')}${meant}`;
}

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
