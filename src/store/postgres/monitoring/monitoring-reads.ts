/** Reads what `record-monitoring.ts` has written, and counts events that nobody has counted. */
import { sql } from 'kysely';
import type { Monitoring, MonitoringState, OpenBreaker, ReceivedKind } from '../../monitoring.ts';
import { MAX_COUNTED_BY_READ, receivedKinds } from '../../shared/monitoring/received-kinds.ts';
import type { DatabaseSchema } from '../../shared/tables.ts';
import { readServerMove } from '../database/identity/known-server.ts';
import { isLive } from '../database/connections/lease.ts';
import type { Connection } from '../sql/connection.ts';
import type { Session } from '../sql/session.ts';
import { readActivity } from './activity-records.ts';
import { createAlerts } from './alerts.ts';
import { countedKind, readUncounted } from './arrivals.ts';
import { createRecordMonitoring } from './record-monitoring.ts';

export function createMonitoring(connection: Connection): Monitoring {
  const { read } = connection;
  const alerts = createAlerts(connection);
  return {
    nextAlert: alerts.nextAlert,
    ...createRecordMonitoring(connection, alerts),
    uncountedArrivals: (limit) => readUncounted(read, limit),
    hourlyCounts: (since) =>
      read.rows(
        sql<DatabaseSchema['hourly_counts']>`
          select * from hourly_counts where hour >= ${since} order by hour, source, kind`,
      ),
    async monitoring(): Promise<MonitoringState> {
      const store = await read.first(
        sql<{ createdAt: number; alerts: number }>`
          select created_at as "createdAt", (select count(*) from alerts) as alerts from store`,
      );
      const problems = await read.rows(sql<DatabaseSchema['problems']>`select * from problems order by key`);
      return {
        createdAt: store?.createdAt ?? 0,
        ...(await readReceived(read)),
        openBreakers: await readBreakers(read),
        rejections: await read.rows(
          sql<DatabaseSchema['rejection_counts']>`select * from rejection_counts order by hour`,
        ),
        problems: problems.map((row) => ({ key: row.key, beganAt: row.began_at, report: row.report })),
        waitingAlerts: store?.alerts ?? 0,
      };
    },
    serverMove: () => readServerMove(read),
    activity: (since, stepMs) => readActivity(read, since, stepMs),
  };
}

/**
 * Reads the counts, and counts the newest events itself: in one statement, between whose parts no other process counts.
 * Numbers have gaps, so `uncounted` may say more than there are.
 */
async function readReceived(
  read: Session,
): Promise<{ readonly received: readonly ReceivedKind[]; readonly uncounted: number }> {
  const rows = await read.rows(
    sql<DatabaseSchema['received_counts'] & { uncounted: number }>`
      with bounds as materialized (
        select through as counted, newest, greatest(through, newest - ${MAX_COUNTED_BY_READ}) as start
        from counted_events, (select coalesce(max(id), 0) as newest from events) as log
      ), counts as (
        select source, kind, recognized, events, first_received_at, last_received_at from received_counts
        union all
        select (select source from subjects where subjects.id = events.subject_id), ${countedKind}, recognized,
          count(*), min(received_at), max(received_at)
        from events
        where events.id > (select start from bounds) and events.id <= (select newest from bounds)
        group by 1, 2, 3
      )
      select counts.*, (select start - counted from bounds) as uncounted from counts`,
  );
  return { received: receivedKinds(rows, []), uncounted: rows[0]?.uncounted ?? 0 };
}

/** Each process has breakers of its own: a handler is shown once, as paused in any of those that are alive. */
function readBreakers(read: Session): Promise<readonly OpenBreaker[]> {
  return read.rows(
    sql<OpenBreaker>`
      select distinct on (handler) handler, min(since) over (partition by handler) as since, until, reason
      from open_breakers join leases using (holder)
      where ${isLive}
      order by handler, until desc, holder`,
  );
}
