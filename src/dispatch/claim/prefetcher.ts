/** Holds prefetched deliveries until the concurrency limit allows them. */
import type { ClaimedDelivery, Prefetched } from '../../store/lane-queue.ts';
import type { Admission } from '../admit/admission.ts';
import type { Scheduler } from '../admit/scheduler.ts';
import type { ReleaseDeliveries } from '../record/release-deliveries.ts';
import type { InFlight } from './in-flight.ts';

/** Deliveries whose events are read at a time, fewer when they are large: a fraction of a millisecond. */
const READ_AT_ONCE = 64;

/** Starts prefetched deliveries when the concurrency limit allows, and releases those that may not start any more. */
export interface Prefetcher {
  /** Takes over prefetched deliveries. They start in order, in later ticks. */
  readonly add: (prefetched: Prefetched) => void;
  /** The number of deliveries that have not started, or wait to be released. */
  readonly waiting: () => number;
}

export function createPrefetcher(deps: {
  readonly scheduler: Pick<Scheduler, 'noneWaiting' | 'defer' | 'soon'>;
  readonly admission: Pick<Admission, 'rejectsHandler'>;
  readonly inFlight: Pick<InFlight, 'add'>;
  /** Releases deliveries, and removes them from `inFlight` then. */
  readonly release: ReleaseDeliveries;
  /** Runs a lane from this delivery on, and removes it from `inFlight` in the end. */
  readonly start: (delivery: ClaimedDelivery) => void;
}): Prefetcher {
  const { scheduler, admission, inFlight, release, start } = deps;
  /** The oldest claim starts first; the next one waits until it is used up. */
  let claims: readonly Prefetched[] = [];
  let waiting = 0;

  async function startSome(): Promise<void> {
    // Do not read events of deliveries that cannot start yet.
    await scheduler.noneWaiting();
    releaseInadmissible();
    const [first] = claims;
    if (first === undefined) return;
    const before = first.left();
    const { deliveries, unread } = await first.next(READ_AT_ONCE);
    // The store decides how many it reads.
    waiting -= before - first.left();
    void release.unreadable(unread);
    for (const delivery of deliveries)
      scheduler.soon(() => {
        start(delivery);
      });
    dropUsedUp();
    scheduleNext();
  }

  function releaseInadmissible(): void {
    const reasons = new Map<string, string>();
    for (const handler of new Set(claims.flatMap((claim) => claim.handlers()))) {
      const reason = admission.rejectsHandler(handler);
      if (reason !== undefined) reasons.set(handler, reason);
    }
    if (reasons.size === 0) return;
    const unread = claims.flatMap((claim) => claim.withdraw([...reasons.keys()]));
    dropUsedUp();
    for (const [reason, deliveries] of Map.groupBy(unread, ({ handler }) => reasons.get(handler) ?? ''))
      void release.inadmissible(deliveries, reason).then(() => {
        waiting -= deliveries.length;
      });
  }

  function dropUsedUp(): void {
    claims = claims.filter((claim) => claim.left() > 0);
  }

  function scheduleNext(): void {
    if (claims.length === 0) return;
    scheduler.defer(() => {
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
