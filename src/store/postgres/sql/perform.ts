/** Runs writes that are written for both databases, in transactions. */
import { sql } from 'kysely';
import type { SqlReads, Step, TransactedWrites, Write } from '../../shared/sql/statements.ts';
import type { Transact } from '../database/connections/transaction.ts';
import type { Session } from './session.ts';

/** Runs a write to its end, a statement after the other. */
export async function perform<T>(session: Session, write: Write<T>): Promise<T> {
  let next = write.next();
  while (next.done !== true) next = write.next(await resultOf(session, next.value));
  return next.value;
}

function resultOf(session: Session, step: Step): unknown {
  if (step.is === 'own') return step.result;
  return step.is === 'rows' ? session.rows(step.query) : session.run(step.query);
}

/** The methods of an object of writes, each in a transaction of its own. */
export function transacted<W extends object>(transact: Transact, writes: W): TransactedWrites<W> {
  const methods = Object.entries(writes).map(
    ([name, write]: [string, (...all: unknown[]) => Write<unknown>]) => [
      name,
      // The transaction may begin again, and the write with it.
      (...parameters: unknown[]) => transact(({ session }) => perform(session, write(...parameters))),
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
