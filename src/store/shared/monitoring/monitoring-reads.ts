/** Reads what `record-monitoring.ts` has written, and counts events that no process has counted. */
import { sql } from 'kysely';
import type {
  Monitoring,
  MonitoringState,
  ObservedCount,
  OpenBreaker,
  Outage,
  RejectionCount,
} from '../../monitoring.ts';
import { readRates } from '../rates/rates.ts';
import type { SharedConnection } from '../sql/connection.ts';
import type { DatabaseSchema } from '../tables.ts';
import { readActivity } from './activity-records.ts';
import { readLooks } from './looks.ts';
import { readReceived, readUncounted, type CountedEvents } from './received-kinds.ts';

/** What each database reads in its own words. */
interface OwnReads {
  readonly counted: CountedEvents;
  /** By handler, each once. */
  readonly readBreakers: () => Promise<readonly OpenBreaker[]>;
}

export function createMonitoringReads(
  { read, clock }: Pick<SharedConnection, 'read' | 'clock'>,
  { counted, readBreakers }: OwnReads,
): Pick<Monitoring, 'uncountedArrivals' | 'hourlyCounts' | 'monitoring' | 'activity'> {
  return {
    uncountedArrivals: (limit) => readUncounted(read, counted, limit),
    hourlyCounts: (since) =>
      read.rows(
        sql<DatabaseSchema['hourly_counts']>`
          select * from hourly_counts where hour >= ${since} order by hour, source, kind`,
      ),
    async monitoring(): Promise<MonitoringState> {
      const store = await read.first(
        sql<Pick<MonitoringState, 'createdAt' | 'waitingAlerts' | 'alertError'>>`
          select created_at as "createdAt", (select count(*) from alerts) as "waitingAlerts",
            (select last_error from alerts order by id limit 1) as "alertError" from store`,
      );
      const problems = await read.rows(sql<DatabaseSchema['problems']>`select * from problems order by key`);
      return {
        ...(store ?? { createdAt: 0, waitingAlerts: 0, alertError: null }),
        ...(await readReceived(read, counted)),
        openBreakers: await readBreakers(),
        rejections: await read.rows(
          sql<RejectionCount>`
            select hour, source, rejections, last_reason as "lastReason", clock_seconds as "clockSeconds"
            from rejection_counts order by hour`,
        ),
        observed: await read.rows(
          sql<Omit<ObservedCount, 'hour'>>`
            select source, scheme, sum(webhooks) as webhooks from observed_counts
            group by source, scheme order by source, 3 desc, scheme`,
        ),
        outages: await read.rows(
          sql<Outage>`
            select cause, began_at as "beganAt", ended_at as "endedAt", handler, refused
            from outages order by began_at desc`,
        ),
        looks: await readLooks(read),
        rates: await readRates(read, clock.now()),
        problems: problems.map((row) => ({ key: row.key, beganAt: row.began_at, report: row.report })),
      };
    },
    activity: (since, stepMs) => readActivity(read, since, stepMs),
  };
}
