/** What every driver does with the table of keys whose work is done. */
import { KEYS_TABLE } from '../handle/define/transaction.ts';
import { errorCode } from '../kernel/errors.ts';
import { RetryLater } from '../handle/define/outcome.ts';

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

export const deleteKey = `delete from ${KEYS_TABLE} where key = ?`;

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
