/** Partitions of past days without bodies: their bytes, and how they are dropped. */
import { sql } from 'kysely';
import { isLockTimeout } from '../database/connections/store-error.ts';
import { dayPartitions } from '../events/content-days.ts';
import type { Connection } from '../sql/connection.ts';
import type { Session } from '../sql/session.ts';

/** Milliseconds for which accepting may wait for a partition to be dropped. */
const LOCK_WAIT_MS = 100;

/** The part of a day that no event is in any more. */
interface EmptyDay {
  readonly name: string;
  readonly bytes: number;
}

/** Returns the bytes in partitions of past days whose content is all pruned. */
export async function freeBytes({ read, clock }: Pick<Connection, 'read' | 'clock'>): Promise<number> {
  const days = await emptyDays(read, clock.now());
  return days.reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * Drops the partition of one past day whose content is all pruned, and returns its bytes. Everything else that is
 * removed leaves space that PostgreSQL uses again by itself.
 *
 * Dropping waits for all who use `event_contents`, and keeps the next ones waiting: so it gives up soon, and the
 * next run tries again.
 */
export async function giveBackSpace({ read, transact }: Connection, now: number): Promise<number> {
  const [day] = await emptyDays(read, now);
  if (day === undefined) return 0;
  const dropped = transact(
    async ({ session }) => {
      await session.run(sql`lock table only event_contents in access exclusive mode`);
      const partition = sql.table(day.name);
      // Another process may have dropped it, or an import have stored an event of that day.
      const known = await session.first(
        sql<{ known: boolean }>`select to_regclass(${day.name}) is not null as known`,
      );
      if (known?.known !== true || (await session.first(sql`select from ${partition} limit 1`)) !== undefined)
        return 0;
      await session.run(sql`drop table ${partition}`);
      return day.bytes;
    },
    { lockWaitMs: LOCK_WAIT_MS },
  );
  return dropped.catch((error: unknown) => {
    if (isLockTimeout(error)) return 0;
    throw error;
  });
}

/** The oldest first. A look-up in the key of each day: rows that were removed lately are skipped in the index. */
function emptyDays(session: Session, now: number): Promise<readonly EmptyDay[]> {
  return session.rows(sql<EmptyDay>`
    with days as materialized (
      select * from (${dayPartitions}) as partitions where until <= ${now}
    )
    select name, pg_total_relation_size(name::regclass) as bytes from days
    where (
      select event_id from event_contents
      where received_at >= since and received_at < until order by event_id limit 1
    ) is null
    order by since`);
}
