import type { Connection } from '../sql/connection.ts';
import { prepare, type Named } from '../sql/statement.ts';
import type { TransactionPart } from '../commit/transaction-part.ts';

/** Steps back below this delay a lane by at most as much, and are left alone. */
const TOLERATED_MS = 1_000;

/** When a delivery is to be tried, and what the clock read when that was decided. */
export interface Wish {
  readonly due_at: number | null;
  readonly asked_at: number | null;
}

/**
 * Waits that outlive a jump of the wall clock.
 *
 * A wait runs from `asked_at`, what the clock read when it was decided, to
 * `due_at`. A clock that reads less than `asked_at` went back in between, so
 * how long the delivery has waited is unknown; the wait is then over, because
 * an early retry does less harm than one that is hours late. A jump forward
 * ends waits early by itself.
 *
 * Looked for when the clock was seen to go back, and once at the start: what it
 * did while no process ran nobody saw.
 */
export interface ClockJumps extends TransactionPart {
  /** That a wait was decided at this time. */
  note(now: number): void;
  /** Ends the waits that were decided in what is now the future. To be called inside a transaction. */
  endBrokenWaits(now: number): void;
  /** As `endBrokenWaits`, without having seen the clock go back. */
  endAllBrokenWaits(now: number): void;
}

export function createClockJumps({ database, query }: Connection): ClockJumps {
  const end = prepare(database, (p: Named<{ now: number; latest: number }>) =>
    query
      .updateTable('deliveries')
      .set({ due_at: p.now, asked_at: p.now })
      .where((eb) => eb('head', '=', eb.lit(1)))
      // Nothing is due before it was asked for: of each handler only what is due later is looked at.
      .where('handler', 'in', query.selectFrom('delivery_counts').select('handler').distinct())
      .where('due_at', '>', p.latest)
      .where('asked_at', '>', p.latest),
  );
  let highest = -Infinity;
  /** What the clock read when this transaction ended waits; it counts once that is committed. */
  let ended: number | undefined;

  function endAll(now: number): void {
    end.run({ now, latest: now + TOLERATED_MS });
    ended = now;
  }

  return {
    note(now) {
      highest = Math.max(highest, now);
    },
    endBrokenWaits(now) {
      if (now < highest - TOLERATED_MS && ended === undefined) endAll(now);
      else highest = Math.max(highest, now);
    },
    endAllBrokenWaits: endAll,
    committed() {
      highest = ended ?? highest;
      ended = undefined;
    },
    undone() {
      ended = undefined;
    },
    mark: () => () => void (ended = undefined),
  };
}

/** When a head that wishes to wait from `asked_at` to `due_at` is due, as the clock reads `now`. */
export function dueTime({ due_at, asked_at }: Wish, now: number): number {
  if (due_at === null || asked_at === null || asked_at > now) return now;
  return Math.max(due_at, now);
}
