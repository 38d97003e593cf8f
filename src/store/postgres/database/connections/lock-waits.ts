/** How long transactions wait for locks: while they wait, others need the locks that they hold. */
import { PortariaError } from '../../../../kernel/errors.ts';
import type { Clock } from '../../../../kernel/time/clock.ts';
import { isLockTimeout } from './store-error.ts';
import type { Transact, Transaction } from './transaction.ts';

/** The longest time in milliseconds for which a write tries again. */
export const MAX_WAIT_MS = 9_000;

/**
 * The wait for a lock in milliseconds of a transaction that then frees its other locks. A healthy process holds its locks
 * for some milliseconds: one that holds them for longer may be frozen.
 */
export const SHORT_WAIT_MS = 200;

/** The longest such wait, in milliseconds. */
const LONGEST_WAIT_MS = 1_600;

/** As `Transact`, with a lock wait of its own. */
export type TransactLanes = <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>;

/**
 * Returns what runs work that locks many lanes. If a lock is not free in time, the transaction is rolled back,
 * which frees its other locks, and runs again with a longer timeout: where commits wait for a standby, all locks last long.
 *
 * @throws PortariaError `store-busy` also when it has waited for 9 seconds
 */
export function retryingLocks(
  transact: Transact,
  { location, clock }: { readonly location: string; readonly clock: Pick<Clock, 'monotonic'> },
): TransactLanes {
  return async (work) => {
    const since = clock.monotonic();
    for (let waitMs = SHORT_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      try {
        return await transact(work, { lockWaitMs: waitMs });
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
        if (clock.monotonic() - since > MAX_WAIT_MS) throw lockedTooLong(location);
      }
    }
  };
}

/** The error of a write that did not get a lock within the longest time. */
export function lockedTooLong(location: string): PortariaError {
  const seconds = String(MAX_WAIT_MS / 1000);
  return new PortariaError(
    'store-busy',
    `${location}: a write has waited ${seconds} s for a lock of another transaction: look for sessions that are idle in a transaction`,
  );
}
