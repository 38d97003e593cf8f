/** What errors of SQLite and of the file system mean for the caller. */
import { PortariaError } from '../../../kernel/errors.ts';
import { codeOf, explained, type Meaning, type Meanings } from '../../shared/error-meaning.ts';
import { cannotGrow } from './disk.ts';

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

/** Meanings by SQLite's code, most specific first; then by the operating system's code, for the folder. */
const meanings: Meanings = [
  // The shared-memory file could not grow: the only I/O error that a full disk always causes.
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
  ['EFBIG', FULL],
];

/** An error of a write as it is meant: SQLite reports a quota or a limit of a file's size as a disk that fails. */
export function writeError(error: unknown, file: string): unknown {
  return codeOf(error) === 'SQLITE_IOERR_WRITE' && cannotGrow(file) ? explained(error, FULL, file) : error;
}

/** Converts any error of the store to a PortariaError, whose message gives the remedy. */
export function storeError(error: unknown, location: string): PortariaError {
  if (PortariaError.is(error)) return error;
  const code = codeOf(error);
  return explained(error, meanings.find(([prefix]) => code.startsWith(prefix))?.[1] ?? FAILED, location);
}

/** Whether the error means that the disk is full. */
export function isFull(error: unknown): boolean {
  return storeError(error, '').code === FULL.code;
}

/** SQLite's errors of the file or the process, as opposed to a statement. */
const FILE_ERRORS = [
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

/** Whether the error concerns one operation of a transaction: the others can still succeed. */
export function concernsOneOperation(error: unknown): boolean {
  const code = codeOf(error);
  return !FILE_ERRORS.some((prefix) => code.startsWith(prefix));
}

/**
 * Whether the file must not be written again: after a failed fsync a later one
 * can falsely succeed, and writing worsens a damaged file.
 */
export function isFatal(error: unknown): boolean {
  if (PortariaError.is(error)) return error.code === 'store-failed';
  const code = codeOf(error);
  return code !== 'SQLITE_IOERR_SHMSIZE' && FATAL.some((prefix) => code.startsWith(prefix));
}

type Method = (...parameters: never[]) => Promise<unknown>;

/** Wraps methods so that they reject with a PortariaError. */
export function withStoreErrors<T extends Readonly<Record<keyof T, Method>>>(reads: T, location: string): T {
  const wrap =
    (method: Method): Method =>
    async (...parameters) => {
      try {
        return await method(...parameters);
      } catch (error) {
        throw storeError(error, location);
      }
    };
  const methods = Object.entries<Method>(reads).map(([name, method]) => [name, wrap(method)]);
  return Object.fromEntries(methods) as T;
}
