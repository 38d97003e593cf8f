/** Ends waits that a wall clock which was set back would prolong. */
import { sql } from 'kysely';
import { TOLERATED_MS } from '../../shared/deliveries/due-time.ts';
import { HEAD } from '../../shared/deliveries/head-values.ts';
import { isLockedAs } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/**
 * Ends waits that a step back of this process's wall clock would prolong, as in the store in SQLite.
 *
 * A wait runs from `asked_at` to `due_at`. A clock that reads less than `asked_at` went back, so the time waited is
 * unknown. The wait then ends: an early retry does less harm than one hours late.
 *
 * The check runs when the clock was seen to go back, at the start, and after a process has died, whose clock may
 * have been ahead. It does not run because of `asked_at` alone: clocks of several machines always differ a little.
 */
export interface ClockJumps {
  /** Records that a wait was decided at this time. */
  note(now: number): void;
  /** Whether the clock was seen to go back. */
  wentBack(now: number): boolean;
  /** Ends the waits decided in the future. */
  endProlongedWaits(session: Session, now: number): Promise<void>;
  /** To be called after the commit that ended waits. */
  ended(now: number): void;
}

export function createClockJumps(): ClockJumps {
  let highest = -Infinity;
  return {
    note(now) {
      highest = Math.max(highest, now);
    },
    wentBack: (now) => now < highest - TOLERATED_MS,
    async endProlongedWaits(session, now) {
      const latest = now + TOLERATED_MS;
      // `due_at` is never before `asked_at`, so the index on it finds all candidates.
      await session.run(sql`
        update deliveries set due_at = ${now}, asked_at = ${now}
        where ${isLockedAs(sql`
          select heads.id from (select distinct handler from delivery_counts) as counted
          cross join lateral (
            select id from deliveries
            where head = ${sql.lit(HEAD)} and deliveries.handler = counted.handler and due_at > ${latest} and asked_at > ${latest}
            for update skip locked
          ) as heads`)}`);
    },
    ended(now) {
      highest = now;
    },
  };
}
