/** Checks of the parameters of the address of a database: the client ignores what it does not know. */
import { isIP } from 'node:net';
import { suggest } from '../kernel/text/suggest.ts';
import { negotiationProblem, tlsContradiction, tlsModeProblem } from './database-tls.ts';

/** Parameters that the client knows, except those that the receiver sets itself, such as timeouts. */
const PARAMETERS = [
  ...['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'uselibpqcompat', 'ssl'],
  ...['host', 'port', 'user', 'application_name', 'fallback_application_name', 'options'],
] as const;

export const ONE_HOST =
  'must name one host: set the address of a proxy, or of a virtual address, that follows the primary';
export const VALID_PORT = 'must have a port from 1 to 65535';

/** Returns what is wrong with the parameters of an address: the client would ignore it, and might not encrypt. */
export function parameterProblem(address: URL): string | undefined {
  const { username, hostname, port, pathname, searchParams } = address;
  const texts = [['', pathname] as const, ...searchParams];
  if (texts.some(([name, text]) => hidesParameter(name, text) || hidesParameter(name, decoded(text))))
    return 'must have ? before its first parameter and & before each other one';
  const names = [...searchParams.keys()];
  if (new Set(names).size < names.length) return 'has a parameter twice; remove one of them';
  const before = new Map([
    ['host', hostname],
    ['port', port],
    ['user', username],
  ]);
  const repeated = names.find((name) => (before.get(name) ?? '') !== '');
  if (repeated !== undefined)
    return `has a ${repeated} in front of the name of the database and a parameter ${repeated}; remove one of them`;
  const problems = [...searchParams].flatMap(([name, text]) => oneProblem(name, text) ?? []);
  if (port === '0') problems.push(VALID_PORT);
  return problems.length === 0 ? tlsContradiction(searchParams) : [...new Set(problems)].join('; ');
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
  if ((PARAMETERS as readonly string[]).includes(name))
    return text === '' ? `has no value of ${name}; give it one, or remove it` : valueProblem(name, text);
  const closest = suggest(name, PARAMETERS);
  // What is no name may be a part of the password.
  const quoted = /^[\w-]{1,40}$/u.test(name) ? `the parameter ${name}` : 'a parameter';
  const remedy = closest === undefined ? 'remove it.' : `did you mean ${closest}?`;
  return `has ${quoted}, which is not known; ${remedy} Known parameters: ${PARAMETERS.join(', ')}`;
}

function valueProblem(name: string, text: string): string | undefined {
  switch (name) {
    case 'ssl':
      return ['true', '1', '0'].includes(text)
        ? undefined
        : 'has an unknown value of ssl; use ssl=true, or sslmode instead';
    case 'uselibpqcompat':
      return ['true', 'false'].includes(text)
        ? undefined
        : 'has an unknown value of uselibpqcompat; use true or false';
    case 'sslnegotiation':
      return negotiationProblem(text);
    case 'port':
      return /^\d{1,5}$/u.test(text) && Number(text) >= 1 && Number(text) <= 65_535 ? undefined : VALID_PORT;
    case 'host':
      return hostProblem(text);
    case 'user':
      // Messages name the user.
      return text.includes(':')
        ? 'must have a user without a colon; keep the password in ~/.pgpass or PGPASSWORD'
        : undefined;
    default:
      return undefined;
  }
}

function hostProblem(host: string): string | undefined {
  if (host.includes(',')) return ONE_HOST;
  const isHost = host.startsWith('/') || isIP(host) !== 0 || /^[^\s:/?#@%[\]\\]+$/u.test(host);
  return isHost
    ? undefined
    : 'must have a host name, an IP address or the folder of a socket as host; a port belongs in port';
}
