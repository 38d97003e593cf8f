/** Runs writes that are written for both databases, in transactions. */
import { sql } from 'kysely';
import type { SqlReads, Step, TransactedWrites, Write } from '../../shared/sql/statements.ts';
import type { TransactLanes } from '../database/connections/lock-waits.ts';
import type { Transact, Transaction } from '../database/connections/transaction.ts';

/** A transaction, as far as a write needs it: only what uses {@link inTransaction} needs more than its session. */
type Performer = Pick<Transaction, 'session'>;

/** Runs a write to its end, a statement after the other. */
export async function perform<T>(transaction: Performer, write: Write<T>): Promise<T> {
  let next = write.next();
  while (next.done !== true) next = write.next(await resultOf(transaction, next.value));
  return next.value;
}

function resultOf(transaction: Performer, step: Step): Promise<unknown> {
  if (step.is === 'own') return step.work(transaction as never);
  return step.is === 'rows' ? transaction.session.rows(step.query) : transaction.session.run(step.query);
}

/** A part of a write that PostgreSQL does in its own way, such as taking locks in their order. */
export function* inTransaction<T>(work: (transaction: Transaction) => Promise<T>): Write<T> {
  return (yield { is: 'own', work }) as T;
}

/** The methods of an object of writes, each in a transaction of its own. */
export function transacted<W extends object>(
  transact: Transact | TransactLanes,
  writes: W,
): TransactedWrites<W> {
  const methods = Object.entries(writes).map(
    ([name, write]: [string, (...all: unknown[]) => Write<unknown>]) => [
      name,
      // The transaction may begin again, and the write with it.
      (...parameters: unknown[]) => transact((transaction) => perform(transaction, write(...parameters))),
    ],
  );
  return Object.fromEntries(methods) as TransactedWrites<W>;
}

/** Runs reads as of one moment: what others commit meanwhile is not seen. */
export function readingAtOnce(transact: Transact): <T>(work: (read: SqlReads) => Promise<T>) => Promise<T> {
  return (work) =>
    transact(async ({ session }) => {
      await session.run(sql`set transaction isolation level repeatable read, read only`);
      return work(session);
    });
}
