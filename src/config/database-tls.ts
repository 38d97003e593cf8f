/** TLS to a database: what its address and the environment ask for, and what is wrong with it. */
import { suggest } from '../kernel/text/suggest.ts';

/** The modes of TLS that the client knows. */
const TLS_MODES = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

/** How TLS begins: after a question of PostgreSQL's own, or at once. */
const NEGOTIATIONS = ['postgres', 'direct'] as const;

/** Parameters with files, each of which makes the client use TLS. */
const FILES = ['sslrootcert', 'sslcert', 'sslkey'] as const;

/** Returns what is wrong with a mode of TLS; the client would not encrypt. */
export function tlsModeProblem(mode: string): string | undefined {
  return unknownWord(mode, TLS_MODES, 'sslmode');
}

/** Returns what is wrong with the way in which TLS begins; the client would not connect. */
export function negotiationProblem(negotiation: string): string | undefined {
  return unknownWord(negotiation, NEGOTIATIONS, 'sslnegotiation');
}

function unknownWord(word: string, known: readonly string[], what: string): string | undefined {
  if (known.includes(word)) return undefined;
  const closest = suggest(word, known);
  const meant = closest === undefined ? '' : ` (did you mean ${closest}?)`;
  return `has an unknown ${what}${meant}; use one of ${known.join(', ')}`;
}

/** Returns how parameters of TLS, each valid by itself, contradict each other. */
export function tlsContradiction(parameters: URLSearchParams): string | undefined {
  const [mode, ssl] = [parameters.get('sslmode'), parameters.get('ssl')];
  if (ssl !== null && mode !== null) return 'has both ssl and sslmode; remove ssl';
  const file = FILES.find((name) => parameters.has(name));
  if ((ssl === '0' || mode === 'disable') && file !== undefined)
    return `has both ${ssl === '0' ? 'ssl=0' : 'sslmode=disable'} and ${file}, which asks for TLS; remove one of them`;
  if (parameters.get('sslnegotiation') === 'direct' && (ssl === '0' || mode === 'disable'))
    return `has sslnegotiation=direct without TLS; ${ssl === '0' ? 'remove ssl' : 'set sslmode=verify-full'}, or remove sslnegotiation`;
  const isOfLibpq = parameters.get('uselibpqcompat') === 'true';
  if (isOfLibpq && mode === 'verify-ca' && !parameters.has('sslrootcert'))
    return 'has sslmode=verify-ca without sslrootcert; add sslrootcert=<file of the authority>, or use sslmode=verify-full';
  return undefined;
}

/** Whether PGSSLNEGOTIATION=direct fits an address: the client refuses it without TLS. */
export function allowsDirect(parameters: URLSearchParams, environmentMode: string): boolean {
  // The address goes before the environment.
  if (parameters.has('sslnegotiation')) return true;
  const mode = parameters.get('sslmode');
  if (mode !== null) return mode !== 'disable';
  if (FILES.some((name) => parameters.has(name))) return true;
  const ssl = parameters.get('ssl');
  return ssl === null ? !['', 'disable'].includes(environmentMode) : ssl !== '0';
}
