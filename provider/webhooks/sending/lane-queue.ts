/** Queues the deliveries of a lane, and tells which one is sent next. */
import type { Clock } from '../../../src/kernel/time/clock.ts';
import { READ_BATCH, type DueDelivery, type LaneKey, type Outbox } from '../outbox/outbox.ts';

/** The deliveries of a lane that are still to be sent, read from the outbox in batches. */
export interface LaneQueue {
  /** New deliveries were recorded. */
  expectNew(): void;
  /** A delivery waits aside until this time, ISO 8601. */
  expectAside(dueAt: string): void;
  /** Puts a failed pending delivery back in front. The deliveries behind it wait until it is due. */
  putBack(delivery: DueDelivery): void;
  /** Removes and returns a delivery that is due: those aside first, then the pending ones in order. */
  next(): Promise<DueDelivery | null>;
  /** When the next delivery is due, in milliseconds since 1970; null when that is not known. */
  readonly nextDueAt: number | null;
}

export function createLaneQueue(
  key: LaneKey,
  { outbox, clock }: { readonly outbox: Outbox; readonly clock: Clock },
): LaneQueue {
  let aside: DueDelivery[] = [];
  let asideDueAt: number | null = null;
  let pending: DueDelivery[] = [];
  /** Id of the newest delivery that was read into `pending`. */
  let newest = 0;
  /** At first, an earlier process may have left some. */
  let mayHaveNew = true;

  function blockedUntil(): number | null {
    const [first] = pending;
    // Only a failed attempt delays a delivery. A clock that went back does not.
    if (first === undefined || first.attempts === 0) return null;
    return Date.parse(first.dueAt);
  }

  function expectAside(dueAt: string): void {
    asideDueAt = Math.min(asideDueAt ?? Infinity, Date.parse(dueAt));
  }

  async function readAside(): Promise<void> {
    while (aside.length === 0 && asideDueAt !== null && asideDueAt <= clock.now()) {
      aside = [...(await outbox.dueAside(key, new Date(clock.now()).toISOString()))];
      // There may be more: `asideDueAt` stays until a read finds none.
      if (aside.length > 0) return;
      asideDueAt = null;
      const next = await outbox.nextAside(key);
      if (next !== null) expectAside(next);
    }
  }

  async function readPending(): Promise<void> {
    while (mayHaveNew && pending.length === 0) {
      mayHaveNew = false;
      pending = [...(await outbox.pending(key, newest))];
      newest = pending.at(-1)?.id ?? newest;
      if (pending.length === READ_BATCH) mayHaveNew = true;
    }
  }

  return {
    expectNew() {
      mayHaveNew = true;
    },
    expectAside,
    putBack(delivery) {
      pending.unshift(delivery);
    },
    async next() {
      await readAside();
      if (aside.length > 0) return aside.shift() ?? null;
      await readPending();
      const until = blockedUntil();
      return until !== null && until > clock.now() ? null : (pending.shift() ?? null);
    },
    get nextDueAt() {
      const times = [asideDueAt, blockedUntil()].filter((time) => time !== null);
      return times.length === 0 ? null : Math.min(...times);
    },
  };
}
