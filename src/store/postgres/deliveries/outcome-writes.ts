/** Writes outcomes of deliveries, so that a lane that another transaction has locked delays no other lane. */
import PQueue from 'p-queue';
import { PortariaError } from '../../../kernel/errors.ts';
import { isLockTimeout } from '../database/connections/store-error.ts';
import { unawaited, type Transaction } from '../database/connections/transaction.ts';
import type { Connection } from '../sql/connection.ts';
import type { HeldDelivery } from './held-delivery.ts';
import { LOCK_BRIEFLY, tryLockDeliveries } from './lanes.ts';

/** Milliseconds after which a write gives up that waits for locked lanes. Its caller repeats it. */
const MAX_WAIT_MS = 9_000;

/** Deliveries that one transaction has written, and what the write returned. */
export interface WrittenPart<T> {
  readonly deliveries: readonly HeldDelivery[];
  readonly result: T;
}

/** Writes outcomes of deliveries. */
export interface OutcomeWrites {
  /**
   * Runs a write of deliveries in a transaction. When one of their lanes stays locked, the others are written without
   * it, and it is written when its lane is free.
   *
   * @param run locks the lanes of deliveries, and writes their outcomes
   * @throws PortariaError `store-busy` when a lane stays locked: the outcomes of the others are stored
   */
  write<T>(
    deliveries: readonly HeldDelivery[],
    run: (transaction: Transaction, deliveries: readonly HeldDelivery[]) => Promise<T>,
  ): Promise<readonly WrittenPart<T>[]>;
}

export function createOutcomeWrites(
  { dispatch, clock }: Pick<Connection, 'dispatch' | 'clock'>,
  location: string,
): OutcomeWrites {
  // Those that meet locks take turns: whoever holds one may be frozen, and the other connections are for other lanes.
  const turns = new PQueue({ concurrency: 1 });

  /** Writes the deliveries that `choose` returns; undefined when a lock was not free in time. */
  async function writePart<T>(
    run: (transaction: Transaction, deliveries: readonly HeldDelivery[]) => Promise<T>,
    choose: (transaction: Transaction) => Promise<readonly HeldDelivery[]>,
  ): Promise<WrittenPart<T> | undefined> {
    try {
      return await dispatch(async (transaction) => {
        unawaited(transaction.session.run(LOCK_BRIEFLY));
        const deliveries = await choose(transaction);
        return { deliveries, result: await run(transaction, deliveries) };
      });
    } catch (error) {
      if (isLockTimeout(error)) return undefined;
      throw error;
    }
  }

  return {
    async write(deliveries, run) {
      const whole = await writePart(run, () => Promise.resolve(deliveries));
      if (whole !== undefined) return [whole];
      const since = clock.monotonic();
      const parts = [];
      for (let left = deliveries; left.length > 0;) {
        if (clock.monotonic() - since > MAX_WAIT_MS) throw laneLocked(location);
        const some = left;
        const part = await turns.add(() =>
          writePart(run, async ({ session }) => {
            const free = await tryLockDeliveries(session, some);
            return free.length > 0 ? free : some.slice(0, 1);
          }),
        );
        if (part === undefined) continue;
        parts.push(part);
        const written = new Set(part.deliveries);
        left = left.filter((delivery) => !written.has(delivery));
      }
      return parts;
    },
  };
}

function laneLocked(location: string): PortariaError {
  const seconds = String(MAX_WAIT_MS / 1000);
  return new PortariaError(
    'store-busy',
    `${location}: another transaction has locked a lane for ${seconds} s: look for sessions that are idle in a transaction`,
  );
}
