/** Whether the store can be written: an outage is noticed by the transactions that fail. */
import { sql } from 'kysely';
import { isOutage } from './store-error.ts';
import type { Transact } from './transaction.ts';

/**
 * Whether webhooks can be stored: what a load balancer asks. Deliveries that cannot be claimed or recorded are told by
 * logs, metrics and problems, because a process without traffic would not run them either.
 */
export interface Health {
  /** Returns the transactions of webhooks: a failure makes the store unhealthy. */
  watchAccepting(transact: Transact): Transact;
  /** Returns other transactions: after a failure this checks whether webhooks can be stored. */
  watchOthers(transact: Transact): Transact;
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

  const watching =
    (onOutage: () => void) =>
    (transact: Transact): Transact =>
    (work, options) =>
      transact(work, options).catch((error: unknown) => {
        if (isOutage(error)) onOutage();
        throw error;
      });

  function check(): void {
    if (!attempting) void probe();
  }

  return {
    watchAccepting: watching(() => {
      isHealthy = false;
    }),
    watchOthers: watching(check),
    healthy() {
      if (!isHealthy) check();
      return isHealthy;
    },
  };
}
