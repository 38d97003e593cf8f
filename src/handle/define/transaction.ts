/** A transaction of the user's own database, in which a handler or an effect runs exactly once. */
import type { transactionMark } from './marks.ts';

/** The table of the keys whose work is done: `portaria transactions ddl` prints it. */
export const KEYS_TABLE = 'portaria_handled';

/** The result of a run whose key was stored before. */
export const DONE_BEFORE = Symbol.for('portaria.done-before');

/** What `pgTransaction`, `kyselyTransaction` and `sqliteTransaction` make; `Tx` is what the handler gets as `tx`. */
export interface Transaction<Tx> {
  readonly [transactionMark]: true;
  /** Whether statements run at once in this thread, so that the work must end in the call: true for SQLite's drivers. */
  readonly isSynchronous: boolean;
  /** The connections of its pool: how many transactions run at a time; null when that is unknown, or one by nature. */
  readonly connections: number | null;
  /**
   * Looks whether the table of keys exists.
   *
   * @throws the database's error
   */
  check(): unknown;
  /**
   * Begins a transaction, stores the key, runs the work, and commits. What the work throws rolls back. Waits a bounded
   * time for another run with the same key. Returns the work's result, or `DONE_BEFORE`.
   */
  once(key: string, work: (tx: Tx) => unknown, bounds: TransactionBounds): unknown;
}

export interface TransactionBounds {
  /** Milliseconds for which a transaction may stay open without a statement: longer than an attempt takes. */
  readonly idleMs: number;
}

/** How a handler or the effects of a machine use a transaction. */
export interface TransactionOptions<Tx> {
  /**
   * Runs the code in a transaction of your own database, which begins with the delivery's key: however often it
   * runs, its writes through `tx` are committed once. From `portaria/transactions`.
   */
  readonly transaction?: Transaction<Tx>;
  /** Whether a replay does nothing where the work is done (`once`, the default), or does it `again`, once for each replay. */
  readonly onReplay?: OnReplay;
}

export type OnReplay = 'once' | 'again';

/** With a transaction, the context has the handle of it. */
export type InTransaction<Context, Tx> = [Tx] extends [never] ? Context : Context & { readonly tx: Tx };

/** The transaction of a definition, with its type erased. Definitions that another copy of this package made may lack it. */
export interface Transactional {
  readonly transaction?: Transaction<unknown> | undefined;
  readonly onReplay?: OnReplay;
}

export function transactional<Tx>({ transaction, onReplay = 'once' }: TransactionOptions<Tx>): Transactional {
  return { transaction, onReplay };
}
