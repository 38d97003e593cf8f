/** Reads the numbers that `stats`, metrics and the console show, from tables of counts: cheap whatever the size of the store. */
import { sql, type Selectable } from 'kysely';
import type { Queries, StoreTotals } from '../../queries.ts';
import { unfinishedOfEvent } from '../deliveries/delivery-conditions.ts';
import { pausesInForce } from '../pauses/pauses.ts';
import type { SharedConnection } from '../sql/connection.ts';
import {
  byStatus,
  eventTotals,
  handlerTotals,
  quarantineTotals,
  type DeliveryCount,
  type EventCount,
  type QuarantineCount,
} from './count-sums.ts';
import { OTHER_KINDS } from './count-classes.ts';
import type { RetentionRecord } from '../../retention.ts';
import type { DatabaseSchema } from '../tables.ts';

/** The numbers that each database has in its own way. */
export interface OwnNumbers {
  readonly storeId: string;
  /** The maximum bytes of all held entries of the quarantine. */
  readonly maxQuarantineBytes: number;
  countSubjects(): Promise<number>;
  space(): Promise<Pick<StoreTotals, 'bytes' | 'freeBytes' | 'givesBackSpace'>>;
  /** When the oldest event that has its body was received; null without one. */
  oldestBodyAt(): Promise<number | null>;
}

export function createStatistics(
  connection: SharedConnection,
  own: OwnNumbers,
): Pick<Queries, 'statistics' | 'totals' | 'unrecognizedKinds'> {
  const { read } = connection;

  async function readTotals() {
    // PostgreSQL has several rows of a count, so that no transaction waits for the row of another one.
    const quarantine = await read.rows(sql<QuarantineCount>`
      select verified, reason, cast(sum(held) as bigint) as held, cast(sum(bytes) as bigint) as bytes,
        cast(sum(dropped) as bigint) as dropped
      from quarantine_counts group by verified, reason`);
    const deliveries = await read.rows(sql<DeliveryCount>`
      select handler, status, cast(sum(deliveries) as bigint) as deliveries
      from delivery_counts group by handler, status order by handler, status`);
    return {
      deliveries,
      ...quarantineTotals(quarantine),
      quarantineMaxBytes: own.maxQuarantineBytes,
      byHandler: handlerTotals(deliveries),
      oldestPendingAt: await oldestPendingAt(connection),
      ...(await own.space()),
      retention: await readRetention(connection, await own.oldestBodyAt()),
      pauses: await pausesInForce(connection),
    };
  }

  return {
    async statistics() {
      const events = await read.rows(sql<EventCount>`
        select kind, recognized, verdict, cast(sum(events) as bigint) as events,
          cast(sum(repeats) as bigint) as repeats, max(last_received_at) as last_received_at
        from event_counts group by kind, recognized, verdict order by kind, recognized, verdict`);
      const anomalies = await read.first(
        sql<{ rows: number | null }>`
          select cast(sum(rows) as bigint) as rows from row_counts where name = 'anomalies'`,
      );
      const { deliveries, ...totals } = await readTotals();
      return {
        storeId: own.storeId,
        ...eventTotals(events),
        deliveries: byStatus(deliveries),
        subjects: await own.countSubjects(),
        anomalies: anomalies?.rows ?? 0,
        ...totals,
      };
    },
    unrecognizedKinds: () =>
      read.rows(sql<{ kind: string; events: number }>`
        select kind, cast(sum(events) as bigint) as events from event_counts
        where recognized = 0 and kind <> ${OTHER_KINDS} group by kind having sum(events) > 0 order by kind`),
    async totals() {
      const { deliveries: _deliveries, ...totals } = await readTotals();
      return totals;
    },
  };
}

/** When the oldest event with an unfinished delivery was received. */
async function oldestPendingAt({ read }: SharedConnection): Promise<number | null> {
  const row = await read.first(sql<{ at: number }>`
    select received_at as at from events
    where id = (select min(event_id) from deliveries where ${unfinishedOfEvent})`);
  return row?.at ?? null;
}

/** Reads what was pruned, and when. */
async function readRetention({ read }: SharedConnection, oldestBodyAt: number | null) {
  const row = await read.first(
    sql<Parameters<typeof retentionRecord>[0]>`select * from retention where id = 1`,
  );
  if (row === undefined) throw new Error('the table retention is empty');
  return retentionRecord(row, oldestBodyAt);
}

/** What was pruned, and when, from the row of `retention`. */
function retentionRecord(
  row: Omit<Selectable<DatabaseSchema['retention']>, 'first_body'>,
  oldestBodyAt: number | null,
): RetentionRecord {
  return {
    events: row.pruned_events,
    bytes: row.pruned_bytes,
    quarantine: row.pruned_quarantine,
    deliveries: row.pruned_deliveries,
    discarded: row.discarded_deliveries,
    oldestBodyAt,
    lastRunAt: row.last_run_at,
    nextRunAt: row.next_run_at,
  };
}
