/** Whether the store can be written: an outage is noticed by the transactions that fail. */
import { sql } from 'kysely';
import { isOutage } from './store-error.ts';
import type { Transact } from './transaction.ts';

/** Whether the last write succeeded. */
export interface Health {
  /** Returns `transact`, whose failures this notices. */
  watch(transact: Transact): Transact;
  /** While it is false, each call attempts a write, so that it turns true when the server takes writes again. */
  healthy(): boolean;
}

/** @param accept runs the attempts: health tells whether webhooks can be stored */
export function createHealth(accept: Transact): Health {
  let isHealthy = true;
  let attempting = false;

  async function probe(): Promise<void> {
    attempting = true;
    try {
      await accept(({ session }) => session.run(sql`update store set created_at = created_at where id = 1`));
      // A transaction that finds nothing to write succeeds on a full disk, too, and proves nothing.
      isHealthy = true;
    } catch {
      isHealthy = false;
    } finally {
      attempting = false;
    }
  }

  return {
    watch: (transact) => (work) =>
      transact(work).catch((error: unknown) => {
        if (isOutage(error)) isHealthy = false;
        throw error;
      }),
    healthy() {
      if (!isHealthy && !attempting) void probe();
      return isHealthy;
    },
  };
}
