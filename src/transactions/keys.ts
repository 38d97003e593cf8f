/** What every driver does with the table of keys whose work is done. */
import { KEYS_TABLE } from '../handle/define/transaction.ts';
import { errorCode } from '../kernel/errors.ts';
import { GiveUp, RetryLater } from '../handle/define/outcome.ts';

/** Milliseconds to wait for another run that has stored the same key and has not ended. */
const KEY_WAIT_MS = 5_000;

/** The statements that bound the waits of a transaction: for the key, and while it is idle, in milliseconds. */
export const boundWaits = (idleMs: number): readonly string[] => [
  `set local idle_in_transaction_session_timeout = ${String(idleMs)}`,
  `set local lock_timeout = ${String(KEY_WAIT_MS)}`,
];

/** Other locks than that of the key are waited for as the database is set. */
export const UNBOUND_LOCKS = 'set local lock_timeout to default';

/** Fails where the table of keys does not exist. */
export const LOOK = `select key from ${KEYS_TABLE} limit 0`;

/** A statement that changes no row where the key is stored. */
export function insertKey(placeholder: string): string {
  return `insert into ${KEYS_TABLE} (key) values (${placeholder}) on conflict do nothing`;
}

export function deleteKey(placeholder: string): string {
  return `delete from ${KEYS_TABLE} where key = ${placeholder}`;
}

/**
 * The work of a handler is done in a savepoint, which ends with the transaction. So it tells whether a handler has ended
 * the transaction: then the key is stored, whatever became of the work.
 */
export const WORK = {
  begin: 'savepoint portaria_work',
  end: 'release savepoint portaria_work',
  undo: 'rollback to savepoint portaria_work',
};

/** PostgreSQL: no transaction, and no such savepoint. */
const ENDED: ReadonlySet<string | undefined> = new Set(['25P01', '3B001']);

/** Whether a statement of `WORK` failed because the handler had ended the transaction. */
function isEndedByHandler(error: unknown): boolean {
  return (
    ENDED.has(errorCode(error)) || (error instanceof Error && error.message.includes('no such savepoint'))
  );
}

/** What an attempt fails with: a handler that has ended the transaction, and returned, needs a person. */
export function failureOf(error: unknown): unknown {
  return isEndedByHandler(error)
    ? GiveUp('the handler has ended the transaction, which only Portaria may: look at what it has committed')
    : error;
}

/**
 * Does the work between the key and the commit. Where the handler has ended the transaction and the attempt fails, the
 * key goes: the next attempt does the work.
 *
 * @param run sends a statement on the connection of the transaction
 */
export async function inSavepoint<T>(
  run: (sql: string, values?: readonly string[]) => Promise<unknown>,
  key: readonly [placeholder: string, value: string],
  work: () => Promise<T>,
): Promise<T> {
  await run(WORK.begin);
  try {
    const value = await work();
    await run(WORK.end);
    return value;
  } catch (error) {
    const undone = await run(WORK.undo).catch((failure: unknown) => failure);
    if (isEndedByHandler(undone)) {
      await run('rollback').catch(() => undefined);
      await run(deleteKey(key[0]), [key[1]]);
      // The driver rolls back, and would report that there is nothing to.
      await run('begin');
    }
    throw failureOf(error);
  }
}

/** The code of PostgreSQL for a lock that was not to be had in time. */
const LOCK_NOT_AVAILABLE = '55P03';

/** Another run of the delivery has not ended: its own result tells whether this one has to do anything. */
export function keyIsHeld(error: unknown): never {
  if (errorCode(error) !== LOCK_NOT_AVAILABLE) throw error;
  throw RetryLater(1_000, `another run of this delivery holds its key for ${String(KEY_WAIT_MS)} ms`);
}

/** If the server refused the commit, nothing was committed. Without an answer nobody knows, and the next attempt looks for the key. */
export function unknownCommit(error: unknown): never {
  if (/^(?!08|57P|E[A-Z])[0-9A-Z]{5}$/.test(errorCode(error) ?? '')) throw error;
  const why = 'the commit was not answered: the next attempt finds its key, or does the work';
  throw new Error(`${why} (${error instanceof Error ? error.message : String(error)})`, { cause: error });
}
