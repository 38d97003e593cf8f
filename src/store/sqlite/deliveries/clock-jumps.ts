/** Ends waits that a wall clock which was set back would prolong. */
import type { TransactionPart } from '../commit/batch-commit.ts';
import { TOLERATED_MS } from '../../shared/deliveries/due-time.ts';
import { HEAD } from '../../shared/deliveries/head-values.ts';
import type { Connection } from '../sql/connection.ts';
import { prepare, type Named } from '../sql/statement.ts';

/**
 * Ends waits that a step back of the wall clock would prolong.
 *
 * A wait runs from `asked_at` to `due_at`. A clock that reads less than
 * `asked_at` went back, so the time waited is unknown. The wait then ends: an
 * early retry does less harm than one hours late. A step forward ends waits
 * early by itself.
 *
 * The check runs when the clock was seen to go back, and once at the start:
 * the clock may have gone back while no process ran.
 */
export interface ClockJumps extends TransactionPart {
  /** Records that a wait was decided at this time. */
  note(now: number): void;
  /** Ends the waits decided in the future, if the clock was seen to go back. Called inside a transaction. */
  endProlongedWaits(now: number): void;
  /** Ends the waits decided in the future. Called inside a transaction. */
  endAllProlongedWaits(now: number): void;
}

export function createClockJumps({ database, query }: Connection): ClockJumps {
  const end = prepare(database, (p: Named<{ now: number; latest: number }>) =>
    query
      .updateTable('deliveries')
      .set({ due_at: p.now, asked_at: p.now })
      .where((eb) => eb('head', '=', eb.lit(HEAD)))
      // `due_at` is never before `asked_at`, so the index on it finds all candidates.
      .where('handler', 'in', query.selectFrom('delivery_counts').select('handler').distinct())
      .where('due_at', '>', p.latest)
      .where('asked_at', '>', p.latest),
  );
  let highest = -Infinity;
  /** The time at which this transaction ended waits; becomes `highest` when it is committed. */
  let ended: number | undefined;

  function endAll(now: number): void {
    end.run({ now, latest: now + TOLERATED_MS });
    ended = now;
  }

  return {
    note(now) {
      highest = Math.max(highest, now);
    },
    endProlongedWaits(now) {
      if (now < highest - TOLERATED_MS && ended === undefined) endAll(now);
      else highest = Math.max(highest, now);
    },
    endAllProlongedWaits: endAll,
    committed() {
      highest = ended ?? highest;
      ended = undefined;
    },
    undone() {
      ended = undefined;
    },
  };
}
