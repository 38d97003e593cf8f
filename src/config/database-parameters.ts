/** Checks of the parameters of the address of a database: the client ignores what it does not know. */
import { isPostgresAddress } from '../kernel/postgres-address.ts';
import { suggest } from '../kernel/text/suggest.ts';
import { tlsModeProblem } from './database-tls.ts';

/** Parameters that the client knows, without those that the receiver sets itself, as timeouts. */
const PARAMETERS = [
  ...['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'uselibpqcompat', 'ssl'],
  ...['host', 'port', 'user', 'application_name', 'fallback_application_name', 'options'],
] as const;

/** Returns what is wrong with the parameters of an address: the client would ignore it, and might not encrypt. */
export function parameterProblem(value: string): string | undefined {
  if (!isPostgresAddress(value) || !URL.canParse(value)) return undefined;
  const { pathname, searchParams } = new URL(value);
  const texts = [['', pathname] as const, ...searchParams];
  if (texts.some(([name, text]) => hidesParameter(name, text) || hidesParameter(name, decoded(text))))
    return 'must have ? before its first parameter and & before each other one';
  const names = [...searchParams.keys()];
  if (new Set(names).size < names.length) return 'has a parameter twice; remove one of them';
  if (searchParams.has('ssl') && searchParams.has('sslmode')) return 'has both ssl and sslmode; remove ssl';
  const problems = [...searchParams].flatMap(([name, text]) => oneProblem(name, text) ?? []);
  return problems.length === 0 ? undefined : [...new Set(problems)].join('; ');
}

/** A parameter after a wrong or encoded separator is part of another value, or of the name of the database. */
function hidesParameter(name: string, text: string): boolean {
  return (name === 'options' ? PARAMETER_IN_OPTIONS : PARAMETER).test(text);
}

const PARAMETER = /[?&;,|\s](?:ssl|[a-z_]+=)/iu;

/** Options have settings of the server (-c search_path=a,b), none of which has such a name. */
const PARAMETER_IN_OPTIONS = /[?&]\s*[a-z_]+\s*=|(?<![\w.])(?:ssl\w*|uselibpqcompat|password)\s*=/iu;

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
