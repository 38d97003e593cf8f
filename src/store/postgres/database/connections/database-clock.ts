/** The clock of the database, which the clock of a process follows. */
import { sql } from 'kysely';
import { say } from '../../../../kernel/text/sentences.ts';
import type { Clock } from '../../../../kernel/time/clock.ts';
import { isFollowing } from '../../../../kernel/time/following-clock.ts';
import { checkFindings } from '../../../checks.ts';
import type { Session } from '../../sql/session.ts';

/** Milliseconds since 1970 by the database's clock. */
export const databaseTime = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::double precision`;

/**
 * The clock that all processes share. A process whose own clock is an hour ahead would run the retries of the others
 * an hour early, and date what it stores an hour late.
 */
export interface DatabaseClock {
  /** Runs a query that returns the database's time, and lets this process's clock follow it. */
  read<T extends { readonly time: number } | undefined>(query: () => Promise<T>): Promise<T>;
}

/** @param onDifference called with a sentence when the machine's clock is not as far off as before */
export function createDatabaseClock(
  clock: Clock,
  onDifference: (difference: string) => void = () => undefined,
): DatabaseClock {
  return {
    async read(query) {
      const askedAt = clock.monotonic();
      const row = await query();
      if (row === undefined || !isFollowing(clock)) return row;
      const ahead = clock.follow({ time: row.time, askedAt, answeredAt: clock.monotonic() });
      if (ahead !== null) onDifference(say(checkFindings, { code: 'clock', ahead, state: 'followed' }));
      return row;
    },
  };
}

/** Lets the clock follow that of the database, before anything is stored. */
export async function readDatabaseClock(session: Session, databaseClock: DatabaseClock): Promise<void> {
  await databaseClock.read(() => session.first(sql<{ time: number }>`select ${databaseTime} as time`));
}
