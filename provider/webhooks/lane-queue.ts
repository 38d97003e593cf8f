import type { Clock } from '../../src/kernel/time/clock.ts';
import type { Settlements } from './group-settlements.ts';
import { READ_AT_A_TIME, type DueDelivery, type LaneKey, type Outbox } from './outbox.ts';

/** What a lane has to send, in memory as far as there is room, otherwise in the database. */
export interface LaneQueue {
  /** One that was just recorded. Without room it is read later, and so is all behind it. */
  offer(delivery: DueDelivery): void;
  /** There may be newer ones than those that were offered. */
  missSome(): void;
  /** Whether what is recorded now has to be read later anyway. */
  readonly isBehind: boolean;
  /** One will wait aside until that moment, ISO 8601. */
  expectAside(dueAt: string): void;
  /** A pending one that failed: when it is due it is the next, and what is behind it waits. */
  putBack(delivery: DueDelivery): void;
  /** What can be sent now: what waited aside before what is pending, and that in order. */
  next(): Promise<DueDelivery | null>;
  /** When there will be something, in milliseconds since 1970; null when that is not known. */
  readonly nextDueAt: number | null;
}

/** So many may wait in memory. */
const ROOM = 2 * READ_AT_A_TIME;

export function createLaneQueue(
  key: LaneKey,
  {
    outbox,
    settlements,
    clock,
  }: { readonly outbox: Outbox; readonly settlements: Settlements; readonly clock: Clock },
): LaneQueue {
  let aside: DueDelivery[] = [];
  let asideDueAt: number | null = null;
  let pending: DueDelivery[] = [];
  /** The newest that was ever in `pending`. */
  let newest = 0;
  /** There may be newer ones in the database: at first, what an earlier process left. */
  let isBehind = true;
  /** Some were recorded since the last reading began. */
  let missed = false;

  function blockedUntil(): number | null {
    const [first] = pending;
    // Only a failed try puts one off; a clock that was put back does not.
    if (first === undefined || first.attempts === 0) return null;
    return Date.parse(first.dueAt);
  }

  async function readAside(): Promise<void> {
    while (aside.length === 0 && asideDueAt !== null && asideDueAt <= clock.now()) {
      // What was sent a moment ago must not be found again.
      await settlements.written();
      aside = [...(await outbox.dueAside(key, new Date(clock.now()).toISOString()))];
      // Otherwise there may be more, which is looked for once these are through.
      if (aside.length > 0) return;
      asideDueAt = null;
      const next = await outbox.nextAside(key);
      if (next !== null) expect(next);
    }
  }

  function expect(dueAt: string): void {
    asideDueAt = Math.min(asideDueAt ?? Infinity, Date.parse(dueAt));
  }

  async function readPending(): Promise<void> {
    while (isBehind && pending.length === 0) {
      missed = false;
      const read = await outbox.pendingAfter(key, newest);
      pending = [...read];
      newest = read.at(-1)?.id ?? newest;
      // Some may have been missed while it was read.
      isBehind = hasMissed() || read.length === READ_AT_A_TIME;
    }
  }

  const hasMissed = () => missed;

  function missSome(): void {
    missed = true;
    isBehind = true;
  }

  return {
    offer(delivery) {
      if (delivery.id <= newest) return;
      if (isBehind || pending.length >= ROOM) {
        missSome();
        return;
      }
      pending.push(delivery);
      newest = delivery.id;
    },
    missSome,
    get isBehind() {
      return isBehind;
    },
    expectAside: expect,
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
