/** Transactions of `better-sqlite3` and `node:sqlite`. */
import { transactionMark } from '../handle/define/marks.ts';
import { DONE_BEFORE, type Transaction } from '../handle/define/transaction.ts';
import { deleteKey, failureOf, insertKey, LOOK, WORK } from './keys.ts';

/** What is used of a database of `better-sqlite3` or `node:sqlite`. */
export interface SqliteDatabase {
  exec(text: string): unknown;
  prepare(text: string): { run(...values: string[]): { readonly changes: number | bigint } };
}

/**
 * Runs a handler in a transaction of a database of `better-sqlite3` or `node:sqlite`. `tx` is that database. The handler
 * must be synchronous: the transaction ends when it returns. Set a busy timeout if other processes write to the file.
 *
 * ```ts
 * export default defineHandler({
 *   name: 'ledger',
 *   on: 'charge.updated',
 *   transaction: sqliteTransaction(database),
 *   handle({ data }, { tx }) {
 *     tx.prepare('insert into entries (charge, amount) values (?, ?)').run(data.id, data.amount);
 *   },
 * });
 * ```
 *
 * The table of `portaria transactions ddl --for sqlite` must exist in the database.
 */
export function sqliteTransaction<Database extends SqliteDatabase>(
  database: Database,
): Transaction<Database> {
  return {
    [transactionMark]: true,
    isSynchronous: true,
    connections: null,
    check: () => database.prepare(LOOK),
    once(key, work) {
      database.exec('begin immediate');
      let isNew = false;
      let isWorkOver = false;
      try {
        isNew = Number(database.prepare(insertKey('?')).run(key).changes) === 1;
        database.exec(WORK.begin);
        const value = isNew ? work(database) : DONE_BEFORE;
        database.exec(WORK.end);
        isWorkOver = true;
        database.exec(isNew ? 'commit' : 'rollback');
        return value;
      } catch (error) {
        const isEnded = !isWorkOver && !canUndo(database);
        rollBack(database);
        // A handler that has ended the transaction, and then failed, has committed the key: its work is not done.
        if (isNew && isEnded) database.prepare(deleteKey('?')).run(key);
        throw failureOf(error);
      }
    },
  };
}

function canUndo(database: SqliteDatabase): boolean {
  try {
    database.exec(WORK.undo);
    return true;
  } catch {
    return false;
  }
}

/** SQLite itself rolls back after some errors, a full disk for example: then there is no transaction. */
function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('rollback');
  } catch {
    return;
  }
}
