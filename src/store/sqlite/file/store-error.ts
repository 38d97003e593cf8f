import { PortariaError, type ErrorCode } from '../../../kernel/errors.ts';

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
const UNOPENABLE: Meaning = {
  code: 'store-read-only',
  advice: 'the file cannot be opened: check that it is a file in a folder, and their permissions',
};
const FAILED: Meaning = { code: 'store-failed', advice: 'reading or writing the file failed' };

/** By SQLite's code, the most specific first; codes of the operating system for the folder's sake. */
const meanings: readonly (readonly [prefix: string, meaning: Meaning])[] = [
  // The shared-memory file could not grow: the one I/O error that a full disk shows as.
  ['SQLITE_IOERR_SHMSIZE', FULL],
  ['SQLITE_FULL', FULL],
  ['SQLITE_BUSY', BUSY],
  ['SQLITE_LOCKED', BUSY],
  ['SQLITE_PROTOCOL', BUSY],
  ['SQLITE_CORRUPT', CORRUPT],
  ['SQLITE_NOTADB', CORRUPT],
  ['SQLITE_READONLY', READ_ONLY],
  ['SQLITE_PERM', READ_ONLY],
  ['SQLITE_CANTOPEN', UNOPENABLE],
  ['EISDIR', UNOPENABLE],
  ['ENOTDIR', UNOPENABLE],
  ['EEXIST', UNOPENABLE],
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

/** Whether there was no room for it. */
export function isFull(error: unknown): boolean {
  return storeError(error, '').code === FULL.code;
}

/** What SQLite says of the file or the process, not of a statement. */
const ABOUT_THE_FILE = [
  'SQLITE_BUSY',
  'SQLITE_CANTOPEN',
  'SQLITE_CORRUPT',
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_LOCKED',
  'SQLITE_NOMEM',
  'SQLITE_NOTADB',
  'SQLITE_PROTOCOL',
  'SQLITE_READONLY',
];

const FATAL = ['SQLITE_IOERR', 'SQLITE_CORRUPT', 'SQLITE_NOTADB'];

/** Whether only one write of a transaction failed, and the others may go on. */
export function concernsOneItem(error: unknown): boolean {
  const code = codeOf(error);
  return !ABOUT_THE_FILE.some((prefix) => code.startsWith(prefix));
}

/**
 * Whether the file must not be written again: after a failed fsync a later one
 * can falsely succeed, and a damaged file gets worse with every write.
 */
export function isFatal(error: unknown): boolean {
  if (PortariaError.is(error)) return error.code === 'store-failed';
  const code = codeOf(error);
  return code !== 'SQLITE_IOERR_SHMSIZE' && FATAL.some((prefix) => code.startsWith(prefix));
}
