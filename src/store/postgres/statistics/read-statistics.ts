/** Reads the statistics from tables of counts: cheap whatever the size of the store. */
import { sql } from 'kysely';
import type { RetentionRecord } from '../../retention.ts';
import type { Queries } from '../../queries.ts';
import {
  byStatus,
  eventTotals,
  handlerTotals,
  quarantineTotals,
  type DeliveryCount,
  type EventCount,
  type QuarantineCount,
} from '../../shared/statistics/count-sums.ts';
import { pausesInForce } from '../../shared/pauses/pauses.ts';
import { retentionRecord } from '../../shared/retention/retention-record.ts';
import { freeBytes } from '../retention/space.ts';
import { unfinishedOfEvent } from '../../shared/deliveries/delivery-conditions.ts';
import type { Connection } from '../sql/connection.ts';

export function createStatistics(connection: Connection): Pick<Queries, 'statistics' | 'totals'> {
  const { read, storeId } = connection;
  return {
    async statistics() {
      const events = await read.rows(sql<EventCount>`
        select kind, recognized, verdict, sum(events) as events, sum(repeats) as repeats,
          max(last_received_at) as last_received_at
        from event_counts group by kind, recognized, verdict order by kind, recognized, verdict`);
      const { deliveries, ...totals } = await readTotals(connection);
      return {
        storeId,
        ...eventTotals(events),
        deliveries: byStatus(deliveries),
        subjects: await countRows(connection, 'subjects'),
        anomalies: await countRows(connection, 'anomalies'),
        ...totals,
      };
    },
    async totals() {
      const { deliveries: _deliveries, ...totals } = await readTotals(connection);
      return totals;
    },
  };
}

async function readTotals(connection: Connection) {
  const { read, limits } = connection;
  const quarantine = await read.rows(sql<QuarantineCount>`
    select verified, reason, sum(held) as held, sum(bytes) as bytes, sum(dropped) as dropped
    from quarantine_counts group by verified, reason`);
  const deliveries = await read.rows(sql<DeliveryCount>`
    select handler, status, sum(deliveries) as deliveries
    from delivery_counts group by handler, status order by handler, status`);
  return {
    deliveries,
    ...quarantineTotals(quarantine),
    quarantineMaxBytes: limits.maxQuarantineBytes,
    byHandler: handlerTotals(deliveries),
    oldestPendingAt: await oldestPendingAt(connection),
    bytes: await databaseBytes(connection),
    freeBytes: await freeBytes(connection),
    givesBackSpace: true,
    retention: await readRetention(connection),
    pauses: await pausesInForce(connection),
  };
}

async function countRows({ read }: Connection, name: string): Promise<number> {
  const row = await read.first(
    sql<{ rows: number }>`select coalesce(sum(rows), 0) as rows from row_counts where name = ${name}`,
  );
  return row?.rows ?? 0;
}

/** When the oldest event with an unfinished delivery was received. */
async function oldestPendingAt({ read }: Connection): Promise<number | null> {
  const row = await read.first(sql<{ at: number }>`
    select received_at as at from events
    where id = (select min(event_id) from deliveries where ${unfinishedOfEvent})`);
  return row?.at ?? null;
}

async function databaseBytes({ read }: Connection): Promise<number> {
  const row = await read.first(sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`);
  return row?.bytes ?? 0;
}

/** Reads what was pruned, and when. Costs the same whatever the size of the store. */
async function readRetention({ read }: Connection): Promise<RetentionRecord> {
  const row = await read.first(
    sql<Parameters<typeof retentionRecord>[0]>`select * from retention where id = 1`,
  );
  if (row === undefined) throw new Error('the table retention is empty');
  const oldest = await read.first(sql<{ received_at: number }>`
    select received_at from event_contents order by event_id limit 1`);
  return retentionRecord(row, oldest?.received_at ?? null);
}
