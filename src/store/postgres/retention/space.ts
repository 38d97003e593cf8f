/** Partitions of past days without bodies: their bytes, and how they are dropped. */
import { sql } from 'kysely';
import { DAY_MS } from '../../../kernel/time/durations.ts';
import { isLockTimeout } from '../database/connections/store-error.ts';
import { codeOf } from '../../shared/error-meaning.ts';
import { dayPartitions, type DayPartition } from '../events/content-days.ts';
import type { Connection } from '../sql/connection.ts';
import type { Session } from '../sql/session.ts';

/** Milliseconds for which accepting may wait for a partition to be dropped. */
const LOCK_WAIT_MS = 100;

/** Returns the bytes in partitions of past days before the oldest event that has its body. */
export async function freeBytes({ read, clock }: Pick<Connection, 'read' | 'clock'>): Promise<number> {
  let sum = 0;
  for (const day of (await oldestDays(read, clock.now())).empty) sum += await bytesOf(read, day);
  return sum;
}

/**
 * Drops the partition of one past day whose content is all pruned, and returns its bytes. Everything else that is
 * removed leaves space that PostgreSQL uses again by itself.
 *
 * Dropping waits for all who use `event_contents`, and keeps the next ones waiting: so it gives up soon, and the
 * next run tries again.
 */
export async function giveBackSpace({ read, transact }: Connection, now: number): Promise<number> {
  let day: WalkedDay | undefined;
  for await (const each of walkDays(read)) {
    if (each.until > now) return 0;
    day = each;
    if (each.firstAt === null) break;
  }
  if (day?.firstAt !== null) return 0;
  const { name, since } = day;
  const bytes = await bytesOf(read, day);
  const dropped = transact(
    async ({ session }) => {
      await session.run(sql`lock table only event_contents in access exclusive mode`);
      const partition = sql.table(name);
      // Another process may have dropped it, or an import have stored an event of that day.
      const known = await session.first(
        sql<{ known: boolean }>`select to_regclass(${name}) is not null as known`,
      );
      if (known?.known !== true || (await session.first(sql`select from ${partition} limit 1`)) !== undefined)
        return 0;
      await session.run(sql`drop table ${partition}`);
      await session.run(sql`delete from kept_events where day = ${since / DAY_MS}`);
      return bytes;
    },
    { lockWaitMs: LOCK_WAIT_MS },
  );
  return dropped.catch((error: unknown) => {
    if (isLockTimeout(error)) return 0;
    throw error;
  });
}

/** A day, and when its first event that has its body was received; null without one. */
interface WalkedDay extends DayPartition {
  readonly firstAt: number | null;
}

/**
 * Walks through the days, the oldest first, each in a statement of its own: one on all days would lock the table of each,
 * and a server has room for a few thousand locks.
 */
async function* walkDays(session: Session): AsyncGenerator<WalkedDay> {
  const days = await session.rows(sql<DayPartition>`select * from (${dayPartitions}) as days order by since`);
  for (const day of days) {
    const first = await session
      .first(
        sql<{ at: number }>`select received_at as at from ${sql.table(day.name)} order by event_id limit 1`,
      )
      .catch((error: unknown) => {
        // Another process has dropped it.
        if (codeOf(error) === '42P01') return undefined;
        throw error;
      });
    yield { ...day, firstAt: first?.at ?? null };
  }
}

/** Returns the first day that has an event with its body, and the past days before it, which have none. */
async function oldestDays(session: Session, now: number) {
  const empty: WalkedDay[] = [];
  for await (const day of walkDays(session)) {
    if (day.firstAt !== null) return { empty, firstAt: day.firstAt };
    if (day.until <= now) empty.push(day);
  }
  return { empty, firstAt: null };
}

/** Returns when the oldest event that has its body was received; null without one. */
export async function oldestBodyAt({
  read,
  clock,
}: Pick<Connection, 'read' | 'clock'>): Promise<number | null> {
  return (await oldestDays(read, clock.now())).firstAt;
}

async function bytesOf(session: Session, { name }: DayPartition): Promise<number> {
  const size = await session.first(sql<{ bytes: number }>`
    select coalesce(pg_total_relation_size(to_regclass(${name})), 0) as bytes`);
  return size?.bytes ?? 0;
}
