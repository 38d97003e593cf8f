/** Transactions of `better-sqlite3` and `node:sqlite`. */
import { transactionMark } from '../handle/define/marks.ts';
import { GiveUp } from '../handle/define/outcome.ts';
import { DONE_BEFORE, type Transaction } from '../handle/define/transaction.ts';
import { failureReason } from '../kernel/failure-reason.ts';
import { deleteKey, insertKey, LOOK } from './keys.ts';

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
      // It ends with the transaction: what the handler has ended and begun anew is not committed as its work.
      database.exec('savepoint portaria_work');
      let isNew = false;
      try {
        isNew = Number(database.prepare(insertKey('?')).run(key).changes) === 1;
        const value = isNew ? work(database) : DONE_BEFORE;
        endWork(database);
        database.exec(isNew ? 'commit' : 'rollback');
        return value;
      } catch (error) {
        rollBack(database);
        // A handler that has ended the transaction, and then failed, has committed the key: its work is not done.
        if (isNew) database.prepare(deleteKey).run(key);
        throw error;
      }
    },
  };
}

function endWork(database: SqliteDatabase): void {
  try {
    database.exec('release portaria_work');
  } catch (error) {
    throw GiveUp(
      `the handler has ended the transaction, which only Portaria may: look at what it has committed (${failureReason(error)})`,
    );
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
