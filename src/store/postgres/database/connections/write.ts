import { unawaited, type Transact } from './transaction.ts';
import type { Session } from '../../sql/session.ts';
import { createCountChanges, type CountChanges } from '../../statistics/count-changes.ts';

/** What an operation works on: a session inside a transaction, and the counts that the transaction changes. */
export interface Transaction {
  readonly session: Session;
  readonly counts: CountChanges;
}

/** Runs operations in one transaction, and writes the changes of counts before its commit. */
export function write<T>(transact: Transact, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  return transact(async (session) => {
    const counts = createCountChanges();
    const value = await work({ session, counts });
    unawaited(counts.write(session));
    return value;
  });
}
