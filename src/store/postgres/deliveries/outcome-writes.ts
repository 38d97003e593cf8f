/**
 * Writes outcomes of deliveries, so that a lane that another transaction has locked delays no other lane.
 *
 * The write itself takes the locks. What must stay: only one waits for a lock at a time, and a batch never waits.
 */
import PQueue from 'p-queue';
import { PortariaError } from '../../../kernel/errors.ts';
import { lockedTooLong, MAX_WAIT_MS, SHORT_WAIT_MS } from '../database/connections/lock-waits.ts';
import { isLockTimeout } from '../database/connections/store-error.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import type { Connection } from '../sql/connection.ts';
import type { OwnedDelivery } from './owned-delivery.ts';
import { tryLockDeliveries } from './lanes.ts';

/** The maximum number of single deliveries whose first attempts wait for locks at once. */
const MAX_FIRST = 2;

/** The shortest wait for a lock, in milliseconds: thousands of tries a second would keep a processor busy. */
const MIN_LOCK_WAIT_MS = 5;

/** The more outcomes wait, the shorter each try: a lane that becomes free is noticed within one round. */
const lockWaitMs = (waitingBehind: number): number =>
  Math.max(MIN_LOCK_WAIT_MS, Math.ceil(SHORT_WAIT_MS / (waitingBehind + 1)));

/** Writes outcomes of deliveries. */
export interface OutcomeWrites {
  /**
   * Runs a write of deliveries in a transaction. A single delivery waits for its lane.
   *
   * @param run locks the lanes of the deliveries, and writes their outcomes
   * @throws PortariaError `lane-locked` when there are several and a lane stays locked: nothing is stored, and the caller
   *   writes each by itself; `store-busy` when the lane of a single one stays locked
   */
  write<T>(deliveries: readonly OwnedDelivery[], run: (transaction: Transaction) => Promise<T>): Promise<T>;
}

export function createOutcomeWrites(
  { dispatch, clock }: Pick<Connection, 'dispatch' | 'clock'>,
  location: string,
): OutcomeWrites {
  // One at a time: the transaction that holds the lock may be frozen, and each wait takes a connection.
  const lockWaits = new PQueue({ concurrency: 1 });
  let first = 0;

  /** Returns undefined when a lock was not free in time. */
  async function attempt<T>(
    run: (transaction: Transaction) => Promise<{ readonly result: T } | undefined>,
    waitMs = SHORT_WAIT_MS,
  ): Promise<{ readonly result: T } | undefined> {
    try {
      return await dispatch(run, { lockWaitMs: waitMs });
    } catch (error) {
      if (isLockTimeout(error)) return undefined;
      throw error;
    }
  }

  async function writeOne<T>(
    delivery: OwnedDelivery,
    run: (transaction: Transaction) => Promise<{ readonly result: T }>,
  ): Promise<T> {
    const since = clock.monotonic();
    const isCrowded = first >= MAX_FIRST || lockWaits.size + lockWaits.pending > 0;
    const runIfFree = async (transaction: Transaction) =>
      (await tryLockDeliveries(transaction.session, [delivery])).length === 0 ? undefined : run(transaction);
    first += 1;
    let written = await attempt(isCrowded ? runIfFree : run).finally(() => (first -= 1));
    while (written === undefined)
      written = await lockWaits.add(() => {
        if (clock.monotonic() - since > MAX_WAIT_MS) throw lockedTooLong(location);
        return attempt(run, lockWaitMs(lockWaits.size));
      });
    return written.result;
  }

  return {
    async write(deliveries, run) {
      const wrapped = async (transaction: Transaction) => ({ result: await run(transaction) });
      const [one, ...others] = deliveries;
      if (one !== undefined && others.length === 0) return writeOne(one, wrapped);
      const written = await attempt(wrapped);
      if (written === undefined)
        throw new PortariaError('lane-locked', `${location}: another transaction has locked a lane`);
      return written.result;
    },
  };
}
