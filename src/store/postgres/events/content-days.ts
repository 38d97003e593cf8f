/** The partitions of bodies and headers, one for each day of arrival. */
import { errorCode } from '../../../kernel/errors.ts';
import { sql, type RawBuilder } from 'kysely';
import { DAY_MS } from '../../../kernel/time/durations.ts';
import { PARTITION_LOCK } from '../sql/advisory-locks.ts';
import { ownSchema } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/** The partitions of `event_contents`: one for each day of arrival, in UTC. */
export interface ContentDays {
  /** Creates the partitions for these times, in milliseconds since 1970. */
  ensure(times: readonly number[]): Promise<void>;
  /** Forgets which partitions there are: retention has dropped one. */
  forget(): void;
}

/** @param inTransaction runs work in a transaction */
export function createContentDays(
  inTransaction: (work: (session: Session) => Promise<void>) => Promise<void>,
): ContentDays {
  const known = new Set<number>();

  return {
    async ensure(times) {
      const days = new Set(times.map((time) => Math.floor(time / DAY_MS)));
      for (const day of days) {
        if (known.has(day)) continue;
        await inTransaction((session) => createDay(session, day));
        known.add(day);
      }
    },
    forget() {
      known.clear();
    },
  };
}

/** The partition of a day, with its bounds in milliseconds since 1970. */
export interface DayPartition {
  readonly name: string;
  readonly since: number;
  readonly until: number;
}

/** The bounds of a partition, as PostgreSQL writes them. */
const BOUNDS = "FROM \\('(-?[0-9]+)'\\) TO \\('(-?[0-9]+)'\\)";

/** Selects all partitions. */
export const dayPartitions: RawBuilder<DayPartition> = sql`
  select name, bounds[1]::bigint as since, bounds[2]::bigint as until from (
    select partition.relname as name,
      regexp_match(pg_get_expr(partition.relpartbound, partition.oid), ${sql.lit(BOUNDS)}) as bounds
    from pg_inherits join pg_class as partition on partition.oid = inhrelid
    where inhparent = 'event_contents'::regclass
  ) as partitions`;

/**
 * The condition that a time is of the days of these. It excludes the other days' partitions when a statement is planned.
 * Days are repeated up to a power of two, so that statements have few texts.
 */
export function isOfDays(column: string, times: readonly number[]): RawBuilder<boolean> {
  const days = [...new Set(times.map((time) => Math.floor(time / DAY_MS)))];
  while ((days.length & (days.length - 1)) !== 0) days.push(days[0] ?? 0);
  const ofDays = days.map(
    (day) => sql`${sql.ref(column)} between ${day * DAY_MS} and ${(day + 1) * DAY_MS - 1}`,
  );
  return sql`(${sql.join([sql`false`, ...ofDays], sql` or `)})`;
}

/** Returns the name of a day's partition. */
function partitionOf(day: number): string {
  return `event_contents_${new Date(day * DAY_MS).toISOString().slice(0, -14).replaceAll(/\W/gu, '_')}`;
}

/**
 * Attaches a table instead of creating a partition: that would wait for all readers of `event_contents`, and
 * all others for it.
 */
async function createDay(session: Session, day: number): Promise<void> {
  if (await exists(session, day)) return;
  await session.run(sql`select pg_advisory_xact_lock(${PARTITION_LOCK}, 0)`);
  if (await exists(session, day)) return;
  // Found by the search path, the tables may be in another schema than that of new tables.
  const own = await session.first(sql<{ schema: string }>`
    select nspname::text as schema from pg_namespace where oid = ${ownSchema}`);
  const name = sql.id(own?.schema ?? '', partitionOf(day));
  const [from, until] = [sql.lit(day * DAY_MS), sql.lit((day + 1) * DAY_MS)];
  await session.run(sql`create table ${name} (like event_contents including all)`);
  await session.run(
    sql`alter table event_contents attach partition ${name} for values from (${from}) to (${until})`,
  );
}

async function exists(session: Session, day: number): Promise<boolean> {
  const found = await session.first(sql`
    select from pg_inherits join pg_class as partition on partition.oid = inhrelid
    where inhparent = 'event_contents'::regclass and relname = ${partitionOf(day)}`);
  return found !== undefined;
}

/** Whether an error means that a row fits no partition. */
export function isMissingDay(error: unknown): boolean {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return errorCode(cause) === '23514';
}
