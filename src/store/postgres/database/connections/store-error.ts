/** What errors of PostgreSQL and of the network mean for the caller, and whether to try again. */
import { PortariaError, type ErrorCode } from '../../../../kernel/errors.ts';
import { codeOf, explained, reasonOf, type Meaning, type Meanings } from '../../../shared/error-meaning.ts';

const UNREACHABLE: Meaning = {
  code: 'store-busy',
  advice: 'PostgreSQL cannot be reached: check that it runs, and the address',
};
const BUSY: Meaning = { code: 'store-busy', advice: 'PostgreSQL is busy: try again' };
const NO_CONNECTION: Meaning = {
  code: 'store-busy',
  advice:
    'PostgreSQL has no connection left: raise max_connections or the limit of the user or database, end other programs, ' +
    'or use a pooler',
};
const FULL: Meaning = {
  code: 'store-full',
  advice: "PostgreSQL's disk is full: make room, nothing was stored",
};
const UNCONFIRMED: Meaning = {
  code: 'store-busy',
  advice:
    'no standby has confirmed the commit, and a failover could lose it: look at the standbys in synchronous_standby_names',
};
const READ_ONLY: Meaning = {
  code: 'store-read-only',
  advice:
    'PostgreSQL takes no writes: this is a standby, or it is set to read only. Use the address of the primary',
};
const DENIED: Meaning = {
  code: 'store-read-only',
  advice: 'the user may not do this: own the tables, or grant all rights on them and on the schema',
};
const PASSWORD: Meaning = {
  code: 'store-unsupported',
  advice: 'PostgreSQL rejects the user or the password: check both in the address, and pg_hba.conf',
};
const NO_PASSWORD: Meaning = {
  code: 'store-unsupported',
  advice:
    'PostgreSQL asks for a password: set it in the address (in PORTARIA_DATABASE, or the setting of this database), in PGPASSWORD or in ~/.pgpass',
};
const NEEDS_TLS: Meaning = {
  code: 'store-unsupported',
  advice: 'PostgreSQL takes no connection without TLS: add ?sslmode=verify-full to the address',
};
const NO_TLS: Meaning = {
  code: 'store-unsupported',
  advice:
    'PostgreSQL does not offer TLS: set ssl = on there, or take sslmode out of the address if the network is safe',
};
const CERTIFICATE: Meaning = {
  code: 'store-unsupported',
  advice:
    "PostgreSQL's certificate cannot be verified: set sslrootcert in the address to the file of its authority, and use " +
    'the host name of the certificate',
};
const NO_FILE: Meaning = {
  code: 'store-unsupported',
  advice: 'a file of the address cannot be read: check sslrootcert, sslcert and sslkey',
};
const MISSING: Meaning = {
  code: 'store-unsupported',
  advice: 'the database does not exist: create it, or check its name in the address',
};
const CORRUPT: Meaning = {
  code: 'store-corrupt',
  advice: 'PostgreSQL reports damaged data: restore a copy',
};
const FAILED: Meaning = { code: 'store-failed', advice: 'PostgreSQL reports an error' };

/** The code of every warning of PostgreSQL. A commit has a single one. */
const WARNING = '01000';

/** Meanings by SQLSTATE or by the system's code, most specific first. */
const meanings: Meanings = [
  ['ECONNREFUSED', UNREACHABLE],
  ['ECONNRESET', UNREACHABLE],
  ['ENOTFOUND', UNREACHABLE],
  ['EAI_AGAIN', UNREACHABLE],
  ['EHOSTUNREACH', UNREACHABLE],
  ['ENETUNREACH', UNREACHABLE],
  ['ETIMEDOUT', UNREACHABLE],
  ['EPIPE', UNREACHABLE],
  ['ENOENT', UNREACHABLE],
  [WARNING, UNCONFIRMED],
  ['CERT_', CERTIFICATE],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', CERTIFICATE],
  ['SELF_SIGNED_CERT_IN_CHAIN', CERTIFICATE],
  ['UNABLE_TO_', CERTIFICATE],
  ['ERR_TLS_', CERTIFICATE],
  ['08', UNREACHABLE],
  ['57P', UNREACHABLE],
  ['53100', FULL],
  ['53300', NO_CONNECTION],
  ['53', BUSY],
  ['55P03', BUSY],
  ['57014', BUSY],
  ['25P03', BUSY],
  ['40', BUSY],
  ['25006', READ_ONLY],
  ['42501', DENIED],
  ['28', PASSWORD],
  ['3D000', MISSING],
  ['XX001', CORRUPT],
  ['XX002', CORRUPT],
];

/** Meanings by what pg or PostgreSQL says where there is no code, or one with several meanings. */
const meaningsOfText: readonly (readonly [text: RegExp, meaning: Meaning])[] = [
  [/client password must be/u, NO_PASSWORD],
  [/no encryption|SSL off/u, NEEDS_TLS],
  [/does not support SSL/u, NO_TLS],
  // A socket that is missing is another thing.
  [/ENOENT.*\bopen\b/u, NO_FILE],
];

/** Collisions with other transactions, which a second attempt does not meet: deadlocks, and rows inserted twice. */
const TRANSIENT = ['40001', '40P01', '23505'];

/** Another transaction has changed what this one has read: it runs again. */
export class Collision extends Error {
  readonly code = '40001';
}

/** What PostgreSQL says beside its responses. */
export interface Notice {
  readonly code: string | undefined;
  readonly message: string | undefined;
}

/** A commit that is on the disk of the primary, and not for sure on that of a standby. */
class Unconfirmed extends Error {
  readonly code = WARNING;
}

/** Returns an error for a notice that arrives with a commit, if it says that the wait for a standby has ended. */
export function unconfirmed({ code, message }: Notice): Unconfirmed | undefined {
  return code === WARNING ? new Unconfirmed(message) : undefined;
}

/** Whether the same transaction may succeed when it runs again. */
export function isTransient(error: unknown): boolean {
  return !PortariaError.is(error) && TRANSIENT.includes(codeOf(error));
}

/** Errors of the server, which all operations meet alike. */
const OF_ALL: readonly ErrorCode[] = [
  'store-busy',
  'store-full',
  'store-read-only',
  'store-unsupported',
  'store-corrupt',
];

/** Whether an operation failed by itself, so that the others of its transaction may succeed without it. */
export function concernsOneOperation(error: unknown): boolean {
  return !OF_ALL.includes(storeError(error, '').code);
}

/** Whether the server takes no writes. A collision of transactions is no outage, nor is a wait that took too long. */
export function isOutage(error: unknown): boolean {
  const cause = PortariaError.is(error) && error.cause !== undefined ? error.cause : error;
  return !PortariaError.is(cause) && ![BUSY, FAILED].includes(meaningOf(cause));
}

/** Whether PostgreSQL reports an error that is no outage by its kind: it may concern one event, or all. */
export function isFailure(error: unknown): boolean {
  return storeError(error, '').code === 'store-failed';
}

/** Whether a statement has waited for a lock for as long as it may. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(PortariaError.is(error) && error.cause !== undefined ? error.cause : error) === '55P03';
}

/**
 * Converts any error of the store to a PortariaError, whose message gives the remedy.
 *
 * @param location the address without its password
 */
export function storeError(error: unknown, location: string): PortariaError {
  return PortariaError.is(error) ? error : explained(error, meaningOf(error), location);
}

function meaningOf(error: unknown): Meaning {
  const [code, reason] = [codeOf(error), reasonOf(error)];
  return (
    meaningsOfText.find(([text]) => text.test(reason))?.[1] ??
    meanings.find(([prefix]) => code.startsWith(prefix))?.[1] ??
    // pg reports a lost connection and a full pool without a code.
    (/connection|timeout/iu.test(reason) ? UNREACHABLE : FAILED)
  );
}

type Method = (...parameters: never[]) => unknown;

/** Wraps methods so that those that return a promise reject with a PortariaError. */
export function withStoreErrors<T extends object>(methods: T, location: string): T {
  const wrap =
    (method: Method): Method =>
    (...parameters) => {
      const result = method(...parameters);
      if (!(result instanceof Promise)) return result;
      return result.catch((error: unknown) => {
        throw storeError(error, location);
      });
    };
  const wrapped = Object.entries(methods).map(([name, method]) => [name, wrap(method as Method)]);
  return Object.fromEntries(wrapped) as T;
}
