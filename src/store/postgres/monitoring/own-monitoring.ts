/** What monitoring has in PostgreSQL alone: breakers of each process, and alerts that one process at a time sends. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Monitoring, OpenBreaker } from '../../monitoring.ts';
import { rowId, rowOf } from '../../shared/ids.ts';
import { createMonitoringReads } from '../../shared/monitoring/monitoring-reads.ts';
import { createMonitoringWrites, type ProcessRecords } from '../../shared/monitoring/record-monitoring.ts';
import { run } from '../../shared/sql/statements.ts';
import { readServerMove } from '../database/identity/known-server.ts';
import { isLive } from '../database/connections/lease.ts';
import { eventsCompleteThrough } from '../events/insert-events.ts';
import type { Connection } from '../sql/connection.ts';
import { arrayOf, unnestOf } from '../sql/expressions.ts';
import { transacted } from '../sql/perform.ts';

/** Seconds for which a process has an alert to itself: more than a request may take. */
const TAKEN_S = 30;

export function createMonitoring(connection: Connection): Monitoring {
  const { read, transact } = connection;
  const { nextAlert, alertFailed } = createAlerts(connection);
  return {
    ...createMonitoringReads(connection, {
      counted: { kinds: 'counted_kinds', completeThrough: () => eventsCompleteThrough(read) },
      // A handler is shown once, as paused in any of the processes that are alive.
      readBreakers: () =>
        read.rows(
          sql<OpenBreaker>`
            select distinct on (handler) handler, min(since) over (partition by handler) as since, until, reason
            from open_breakers join leases using (holder)
            where ${isLive}
            order by handler, until desc, holder`,
        ),
    }),
    serverMove: () => readServerMove(read),
    nextAlert,
    ...transacted(
      transact,
      createMonitoringWrites(connection, { alertFailed, replaceBreakers: replacesBreakers(connection) }),
    ),
  };
}

/** Replaces the breakers of this process, and removes those of processes that have ended. */
function replacesBreakers({ lease }: Connection): ProcessRecords['replaceBreakers'] {
  return function* ({ open, now }) {
    const holder = lease?.holder() ?? 0;
    // A guest dispatches nothing. A process that has lost its lease records them again when they change.
    if (holder === 0) return false;
    const handlers = open.map(({ handler }) => handler);
    yield* run(sql`
      delete from open_breakers
      where (holder = ${holder} and handler <> all(${arrayOf(handlers, 'text')})) or holder not in (select leases.holder from leases)`);
    yield* run(sql`
      insert into open_breakers (holder, handler, since, until, reason)
      select ${holder}::bigint, handler, ${now}::bigint, until, reason
      from ${unnestOf('open', open, {
        handler: ['text', ({ handler }) => handler],
        until: ['bigint', ({ until }) => until],
        reason: ['text', ({ reason }) => reason],
      })}
      on conflict (holder, handler) do update set until = excluded.until, reason = excluded.reason`);
    return true;
  };
}

interface AlertRow {
  readonly id: number;
  readonly body: string;
  readonly attempts: number;
  readonly due_at: number;
  readonly last_error: string | null;
  /** Milliseconds for which another process still has it; 0 when none has. */
  readonly taken_ms: number;
}

function createAlerts({
  transact,
  clock,
}: Connection): Pick<Monitoring, 'nextAlert'> & Pick<ProcessRecords, 'alertFailed'> {
  const me = randomUUID();
  const isFree = sql<boolean>`(taken_by is null or taken_by = ${me} or taken_until <= clock_timestamp())`;

  return {
    /** An alert that is due belongs to the caller for a bounded time. The others are told to ask again after it. */
    nextAlert: () =>
      transact(async ({ session }) => {
        const row = await session.first(
          sql<AlertRow>`
            select id, body, attempts, due_at, last_error,
              case when ${isFree} then 0
                else ceil(extract(epoch from taken_until - clock_timestamp()) * 1000) end as taken_ms
            from alerts order by id limit 1 for update`,
        );
        if (row === undefined) return null;
        const now = clock.now();
        if (row.taken_ms === 0 && row.due_at <= now)
          await session.run(sql`
            update alerts set taken_by = ${me}, taken_until = clock_timestamp() + ${TAKEN_S} * interval '1 second'
            where id = ${row.id}`);
        const { id, body, attempts, last_error: lastError } = row;
        const dueAt = row.taken_ms === 0 ? row.due_at : Math.max(row.due_at, now + row.taken_ms);
        return { id: rowId('a', id), body, attempts, dueAt, lastError };
      }),
    *alertFailed({ id, dueAt, reason }) {
      const changed = yield* run(sql`
        update alerts set attempts = attempts + 1, due_at = ${dueAt}, last_error = ${reason},
          taken_by = null, taken_until = null
        where id = ${rowOf('a', id) ?? 0} and ${isFree}`);
      return changed > 0;
    },
  };
}
