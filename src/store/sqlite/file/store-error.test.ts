import BetterSqlite3 from 'better-sqlite3';
import { constants } from 'node:os';
import { expect, test } from 'vitest';
import { PortariaError } from '../../../kernel/errors.ts';
import { concernsOneOperation, isFatal, storeError } from './store-error.ts';

const sqlite = (code: string) => new BetterSqlite3.SqliteError('message of SQLite', code);

test.each([
  ['SQLITE_FULL', 'store-full', false],
  ['SQLITE_IOERR_SHMSIZE', 'store-full', false],
  ['SQLITE_IOERR_FSYNC', 'store-failed', true],
  ['SQLITE_IOERR_WRITE', 'store-failed', true],
  ['SQLITE_CORRUPT_INDEX', 'store-corrupt', true],
  ['SQLITE_NOTADB', 'store-corrupt', true],
  ['SQLITE_BUSY', 'store-busy', false],
  ['SQLITE_BUSY_SNAPSHOT', 'store-busy', false],
  ['SQLITE_READONLY_DBMOVED', 'store-read-only', false],
  ['SQLITE_CANTOPEN', 'store-read-only', false],
  ['SQLITE_NOMEM', 'store-failed', false],
] as const)('%s becomes %s and concerns the whole transaction', (code, expected, fatal) => {
  const cause = sqlite(code);
  const error = storeError(cause, '/data/portaria.db');

  expect(error).toMatchObject({ code: expected, cause });
  expect(error.message).toMatch(/^\/data\/portaria\.db: .*SQLITE_/);
  expect(isFatal(cause)).toBe(fatal);
  expect(concernsOneOperation(cause)).toBe(false);
});

test.each([
  sqlite('SQLITE_CONSTRAINT_UNIQUE'),
  sqlite('SQLITE_TOOBIG'),
  new TypeError('a programming error'),
  new PortariaError('machine-conflict', 'another revision'),
])('%s concerns one operation alone', (error) => {
  expect(concernsOneOperation(error)).toBe(true);
  expect(isFatal(error)).toBe(false);
});

test('returns a PortariaError unchanged', () => {
  const error = new PortariaError('not-found', 'no such thing');
  expect(storeError(error, 'here')).toBe(error);
});

test("Node's nameless error for a quota is store-full", () => {
  const error = Object.assign(new Error('no'), { code: 'UNKNOWN', errno: -constants.errno.EDQUOT });
  expect(storeError(error, 'here').code).toBe('store-full');
});

test.each([
  ['EACCES', 'store-read-only'],
  ['EROFS', 'store-read-only'],
  ['ENOSPC', 'store-full'],
  ['EFBIG', 'store-full'],
  ['EMFILE', 'store-failed'],
])("the operating system's %s is %s", (code, expected) => {
  expect(storeError(Object.assign(new Error('no'), { code }), 'here').code).toBe(expected);
});
