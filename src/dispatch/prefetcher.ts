/** Holds prefetched deliveries until the concurrency limit allows them. */
import type { ClaimedDelivery, Prefetched } from '../store/lane-queue.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import type { InFlight } from './in-flight.ts';
import type { ReleaseDeliveries } from './release-deliveries.ts';
import type { TickBudget } from './tick-budget.ts';

/** Deliveries whose events are read at a time, fewer when they are large: a fraction of a millisecond. */
const READ_AT_ONCE = 64;

/** Starts prefetched deliveries when the concurrency limit allows, and releases those that may not start any more. */
export interface Prefetcher {
  /** Takes over prefetched deliveries. They start in order, in later ticks. */
  readonly add: (prefetched: Prefetched) => void;
  /** How many have not started, or wait to be released. */
  readonly waiting: () => number;
}

export function createPrefetcher(deps: {
  readonly ticks: TickBudget;
  readonly limit: Pick<ConcurrencyLimit, 'noneWaiting'>;
  readonly inFlight: Pick<InFlight, 'add' | 'remove'>;
  readonly release: ReleaseDeliveries;
  /** Why no delivery of this handler may start now; `undefined` when one may. */
  readonly reasonNotToStart: (handler: string) => string | undefined;
  /** Runs a lane from this delivery on, and removes it from `inFlight` in the end. */
  readonly start: (delivery: ClaimedDelivery) => void;
}): Prefetcher {
  const { ticks, limit, inFlight, release, reasonNotToStart, start } = deps;
  /** The oldest claim starts first; the next one waits until it is used up. */
  let claims: readonly Prefetched[] = [];
  let waiting = 0;

  async function startSome(): Promise<void> {
    // Do not read events of deliveries that cannot start yet.
    await limit.noneWaiting();
    releaseInadmissible();
    const [first] = claims;
    if (first === undefined) return;
    const before = first.left();
    const { deliveries, unread } = await first.next(READ_AT_ONCE);
    // Only now it is known how many were read.
    waiting -= before - first.left();
    if (unread.length > 0)
      void release.unreadable(unread).then(() => {
        inFlight.remove(unread.length);
      });
    for (const delivery of deliveries) startInBudget(delivery);
    dropUsedUp();
    scheduleNext();
  }

  function releaseInadmissible(): void {
    const unread = claims.flatMap((claim) => {
      const handlers = claim.handlers().filter((handler) => reasonNotToStart(handler) !== undefined);
      return handlers.length === 0 ? [] : claim.withdraw(handlers);
    });
    dropUsedUp();
    const reason = unread[0] && reasonNotToStart(unread[0].handler);
    if (reason === undefined) return;
    void release.inadmissible(unread, reason).then(() => {
      waiting -= unread.length;
      inFlight.remove(unread.length);
    });
  }

  function dropUsedUp(): void {
    claims = claims.filter((claim) => claim.left() > 0);
  }

  function startInBudget(delivery: ClaimedDelivery): void {
    if (!ticks.isSpent()) start(delivery);
    else
      ticks.defer(() => {
        start(delivery);
      });
  }

  function scheduleNext(): void {
    if (claims.length === 0) return;
    ticks.defer(() => {
      void startSome();
    });
  }

  return {
    add(prefetched) {
      if (prefetched.left() === 0) return;
      inFlight.add(prefetched.left());
      waiting += prefetched.left();
      claims = [...claims, prefetched];
      if (claims.length === 1) scheduleNext();
    },
    waiting: () => waiting,
  };
}
