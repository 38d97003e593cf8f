import BetterSqlite3 from 'better-sqlite3';
import { PortariaError, type ErrorCode } from '../../kernel/errors.ts';

/** What an SQLite error means for us and what to do about it. */
interface Meaning {
  readonly code: ErrorCode;
  readonly advice: string;
}

const FULL: Meaning = { code: 'store-full', advice: 'the disk is full: make room, nothing was stored' };
const BUSY: Meaning = {
  code: 'store-busy',
  advice: 'another process holds the write lock: try again',
};
const CORRUPT: Meaning = {
  code: 'store-corrupt',
  advice: 'the file is damaged or not an SQLite database: restore a copy, or start with another file',
};
const READ_ONLY: Meaning = {
  code: 'store-read-only',
  advice: 'the file or its folder cannot be written: check owner, permissions and mount',
};
const FAILED: Meaning = { code: 'store-failed', advice: 'reading or writing the file failed' };

/** By SQLite's code, the most specific first; codes of the operating system for the folder's sake. */
const meanings: readonly (readonly [prefix: string, meaning: Meaning])[] = [
  // Growing the shared-memory file: the only I/O error that a full disk shows as.
  ['SQLITE_IOERR_SHMSIZE', FULL],
  ['SQLITE_FULL', FULL],
  ['SQLITE_BUSY', BUSY],
  ['SQLITE_LOCKED', BUSY],
  ['SQLITE_PROTOCOL', BUSY],
  ['SQLITE_CORRUPT', CORRUPT],
  ['SQLITE_NOTADB', CORRUPT],
  ['SQLITE_READONLY', READ_ONLY],
  ['SQLITE_PERM', READ_ONLY],
  ['SQLITE_CANTOPEN', READ_ONLY],
  ['EACCES', READ_ONLY],
  ['EPERM', READ_ONLY],
  ['EROFS', READ_ONLY],
  ['ENOSPC', FULL],
  ['EDQUOT', FULL],
];

/** SQLite's or the operating system's code of an error, '' when it has none. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/** Any error of the store as one of ours, with what to do in its message. */
export function storeError(error: unknown, location: string): PortariaError {
  if (PortariaError.is(error)) return error;
  const code = codeOf(error);
  const meaning = meanings.find(([prefix]) => code.startsWith(prefix))?.[1] ?? FAILED;
  const reason = error instanceof Error ? error.message : String(error);
  return new PortariaError(
    meaning.code,
    `${location}: ${meaning.advice} (${code === '' ? reason : `${code}: ${reason}`})`,
    { cause: error },
  );
}

/**
 * Whether only the statement failed and the rest of its transaction may go on:
 * our own refusals, broken constraints, oversized values and errors of our code.
 * Everything else SQLite says is about the file.
 */
export function concernsOneItem(error: unknown): boolean {
  if (!(error instanceof BetterSqlite3.SqliteError)) return true;
  return error.code.startsWith('SQLITE_CONSTRAINT') || error.code === 'SQLITE_TOOBIG';
}

/**
 * Whether the process must not write again: after a failed fsync a later one
 * can falsely succeed, and a damaged file gets worse with every write.
 */
export function isFatal(error: PortariaError): boolean {
  return error.code === 'store-failed' || error.code === 'store-corrupt';
}
