/** Takes calls from the buckets of rates, closes buckets, and reads what waits. */
import { sql } from 'kysely';
import { HOUR_MS } from '../../../kernel/time/durations.ts';
import type { Rates, RateStates } from '../../rates.ts';
import { HEAD } from '../deliveries/head-values.ts';
import { rowOf } from '../ids.ts';
import type { SharedConnection } from '../sql/connection.ts';
import { rows, run, type SqlReads, type Write } from '../sql/statements.ts';
import type { DatabaseSchema } from '../tables.ts';
import { close, idleAt, take, type Bucket } from './bucket.ts';

type BucketRow = DatabaseSchema['rate_buckets'];
type Name = Pick<BucketRow, 'bucket' | 'key'>;

/** Lanes of a handler that are counted. */
const MAX_WAITING_COUNTED = 1_000;

export function createRateWrites({ dialect, clock }: Pick<SharedConnection, 'dialect' | 'clock'>) {
  /** Locks buckets, in one order for all: no two transactions wait for each other. */
  function* locked(names: readonly Name[]): Write<Map<string, BucketRow>> {
    const wanted = dialect.tableOf('wanted', names, {
      bucket: ['text', ({ bucket }: Name) => bucket],
      key: ['text', ({ key }: Name) => key],
    });
    const found = yield* rows(sql<BucketRow>`
      insert into rate_buckets (bucket, key)
      select distinct wanted.bucket, wanted.key from ${wanted} where true order by wanted.bucket, wanted.key
      on conflict (bucket, key) do update set asked_at = rate_buckets.asked_at
      returning *`);
    return new Map(found.map((row) => [nameOf(row), row]));
  }

  function* store(buckets: readonly BucketRow[]): Write<void> {
    const number = (column: keyof Bucket) => ['bigint', (row: BucketRow) => row[column]] as const;
    const changed = dialect.tableOf('changed', buckets, {
      bucket: ['text', ({ bucket }: BucketRow) => bucket],
      key: ['text', ({ key }: BucketRow) => key],
      empty_at: number('empty_at'),
      closed_until: number('closed_until'),
      queued_until: number('queued_until'),
      overdue_until: number('overdue_until'),
      asked_at: number('asked_at'),
      interval_us: number('interval_us'),
      idle_at: ['bigint', idleAt],
    });
    yield* run(sql`
      update rate_buckets set
        empty_at = changed.empty_at, closed_until = changed.closed_until, queued_until = changed.queued_until,
        overdue_until = changed.overdue_until, asked_at = changed.asked_at,
        interval_us = changed.interval_us, idle_at = changed.idle_at
      from ${changed} where rate_buckets.bucket = changed.bucket and rate_buckets.key = changed.key`);
  }

  /** Each new bucket removes two that were idle for an hour, so there are about as many as are used in an hour. */
  function* removeIdle(added: number, now: number): Write<void> {
    if (added === 0) return;
    const isIdle = sql`idle_at > 0 and idle_at < ${(now - HOUR_MS) * 1_000}`;
    yield* run(sql`
      delete from rate_buckets where ${isIdle} and (bucket, key) in (
        select bucket, key from rate_buckets
        where ${isIdle} order by idle_at limit ${2 * added} ${dialect.forUpdateOfFree})`);
  }

  return {
    *takeRates(takings: Parameters<Rates['takeRates']>[0]): Write<readonly (number | null)[]> {
      const buckets = yield* locked(takings);
      const added = [...buckets.values()].filter(({ idle_at: at }) => at === 0).length;
      const deliveries = takings.map(({ delivery }) => rowOf('d', delivery) ?? 0);
      const waited = yield* rows(sql<{ id: number }>`
        select id from deliveries
        where ${dialect.isAnyOf('id', deliveries, 'bigint')} and rate_until is not null`);
      const ids = new Set(waited.map(({ id }) => id));
      // Not before the locks: others may have taken calls at later times.
      const now = clock.now();
      const taken = takings.map(({ intervalUs, burst, ...taking }, at) => {
        const row = bucketOf(buckets, taking);
        const call = { intervalUs, burst, asksAgain: ids.has(deliveries[at] ?? 0) };
        const { bucket, dueAt } = take(row, call, now * 1_000);
        buckets.set(nameOf(row), { ...row, ...bucket });
        return dueAt === null ? null : Math.ceil(dueAt / 1_000);
      });
      yield* store([...buckets.values()]);
      yield* removeIdle(added, now);
      return taken;
    },
    *closeRate(name: Name, { until, now }: { readonly until: number; readonly now: number }): Write<void> {
      const row = bucketOf(yield* locked([name]), name);
      yield* store([{ ...row, ...close(row, until * 1_000, now * 1_000) }]);
    },
  };
}

function nameOf({ bucket, key }: Name): string {
  return `${bucket} ${key}`;
}

function bucketOf(buckets: ReadonlyMap<string, BucketRow>, name: Name): BucketRow {
  const row = buckets.get(nameOf(name));
  if (row === undefined) throw new Error('a bucket is missing in its transaction');
  return row;
}

/** Reads what waits for rates. Without buckets it reads no more than that there are none. */
export async function readRates(read: SqlReads, now: number): Promise<RateStates> {
  const used = await read.rows(sql`select 1 from rate_buckets limit 1`);
  if (used.length === 0) return { closed: [], waiting: [] };
  const closed = await read.rows(sql<{ bucket: string; until: number }>`
    select bucket, max(closed_until) as until from rate_buckets
    where closed_until > 0 and closed_until > ${now * 1_000} group by bucket order by bucket`);
  const waiting = await read.rows(sql<RateStates['waiting'][number]>`
    select handlers.handler,
      (select count(*) from (${headsOf('rate_until, due_at', now)}) as later where rate_until = due_at) as lanes,
      (select min(due_at) from (${headsOf('rate_until, due_at', now)}) as later where rate_until = due_at) as until
    from (select distinct handler from delivery_counts) as handlers order by handlers.handler`);
  return {
    closed: closed.map(({ bucket, until }) => ({ bucket, until: Math.ceil(until / 1_000) })),
    waiting: waiting.filter(({ lanes }) => lanes > 0),
  };
}

/** The next heads of a row of `handlers` that are due later. */
function headsOf(columns: string, now: number) {
  return sql`
    select ${sql.raw(columns)} from deliveries
    where deliveries.head = ${sql.lit(HEAD)} and deliveries.handler = handlers.handler and deliveries.due_at > ${now}
    order by deliveries.due_at limit ${sql.lit(MAX_WAITING_COUNTED)}`;
}
