/** Whether the store can be written: an outage is noticed by the transactions and heartbeats that fail. */
import { isFailure, isOutage } from './store-error.ts';
import type { Transact } from './transaction.ts';

/**
 * Whether webhooks can be stored: what a load balancer asks. Deliveries that cannot be claimed or recorded are told by
 * logs, metrics and problems, because a process without traffic would not run them either.
 */
export interface Health {
  /**
   * Returns the transactions of webhooks: an outage makes the store unhealthy; after another error, which may be that of
   * one event, this checks whether webhooks can be stored.
   */
  watchAccepting(transact: Transact): Transact;
  /** Returns other transactions: after a failure this checks whether webhooks can be stored. */
  watchOthers(transact: Transact): Transact;
  /** Checks whether webhooks can be stored: something else has failed. */
  check(this: void): void;
  /** While it is false, each call attempts a write, so that it turns true when the server takes writes again. */
  healthy(): boolean;
}

/** @param attempt tries whether a webhook can be stored */
export function createHealth(attempt: () => Promise<unknown>): Health {
  let isHealthy = true;
  let attempting = false;

  async function probe(): Promise<void> {
    attempting = true;
    try {
      await attempt();
      isHealthy = true;
    } catch {
      isHealthy = false;
    } finally {
      attempting = false;
    }
  }

  const watching =
    (onOutage: () => void, onFailure: () => void = () => undefined) =>
    (transact: Transact): Transact =>
    (work, options) =>
      transact(work, options).catch((error: unknown) => {
        if (isOutage(error)) onOutage();
        else if (isFailure(error)) onFailure();
        throw error;
      });

  function check(): void {
    if (!attempting) void probe();
  }

  return {
    watchAccepting: watching(() => {
      isHealthy = false;
    }, check),
    watchOthers: watching(check),
    check,
    healthy() {
      if (!isHealthy) check();
      return isHealthy;
    },
  };
}
