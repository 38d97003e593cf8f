/** Reads the numbers that `stats`, metrics and the console show. */
import { statSync } from 'node:fs';
import type { RetentionRecord } from '../../retention.ts';
import type { StoreStatistics, StoreTotals } from '../../queries.ts';
import type { Connection } from '../sql/connection.ts';
import { pausesInForce } from '../../shared/pauses/pauses.ts';
import { retentionRecord } from '../../shared/retention/retention-record.ts';
import { freeSpace } from '../retention/space.ts';
import {
  byStatus,
  eventTotals,
  handlerTotals,
  quarantineTotals,
} from '../../shared/statistics/count-sums.ts';
import type { StoreLimits } from '../commit/write-operations.ts';

/** Reads the statistics from tables of counts: cheap whatever the size of the store. */
export async function readStatistics(
  connection: Connection,
  { storeId, ...limits }: { readonly storeId: string } & StoreLimits,
): Promise<StoreStatistics> {
  const { query } = connection;
  const events = await query.selectFrom('event_counts').selectAll().orderBy('kind').execute();
  const { deliveries, ...totals } = await readHandlerTotals(connection, limits);

  return {
    storeId,
    ...eventTotals(events),
    deliveries: byStatus(deliveries),
    subjects: await countSubjects(connection),
    anomalies: await countAnomalies(connection),
    ...totals,
  };
}

/** Reads the part of the statistics that metrics need. */
export async function readTotals(connection: Connection, limits: StoreLimits): Promise<StoreTotals> {
  const { deliveries: _deliveries, ...totals } = await readHandlerTotals(connection, limits);
  return totals;
}

async function readHandlerTotals(connection: Connection, { maxQuarantineBytes }: StoreLimits) {
  const quarantine = await connection.query.selectFrom('quarantine_counts').selectAll().execute();
  const free = freeSpace(connection.database);
  const deliveries = await connection.query
    .selectFrom('delivery_counts')
    .selectAll()
    .orderBy('handler')
    .execute();
  return {
    deliveries,
    ...quarantineTotals(quarantine),
    quarantineMaxBytes: maxQuarantineBytes,
    byHandler: handlerTotals(deliveries),
    oldestPendingAt: await oldestPendingAt(connection),
    bytes: bytesOf(connection),
    freeBytes: free.bytes,
    givesBackSpace: free.inSteps,
    retention: await readRetention(connection),
    pauses: await pausesInForce(connection),
  };
}

async function countAnomalies({ query }: Connection): Promise<number> {
  const row = await query
    .selectFrom('row_counts')
    .select('rows')
    .where('name', '=', 'anomalies')
    .executeTakeFirst();
  return row?.rows ?? 0;
}

/** Subjects are never deleted and numbered without gaps: the last number is their count. */
async function countSubjects({ query }: Connection): Promise<number> {
  const last = await query
    .selectFrom('subjects')
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirst();
  return last?.id ?? 0;
}

async function oldestPendingAt({ query }: Connection): Promise<number | null> {
  const oldest = await query
    .selectFrom('events')
    .select('received_at')
    .where('id', '=', (event) =>
      event
        .selectFrom('deliveries')
        .select(({ fn }) => fn.min('event_id').as('id'))
        .where('finished_at', 'is', null),
    )
    .executeTakeFirst();
  return oldest?.received_at ?? null;
}

/** The size of the file and its write-ahead log. */
function bytesOf({ database }: Connection): number {
  const pages = database.pragma('page_count', { simple: true }) as number;
  const pageSize = database.pragma('page_size', { simple: true }) as number;
  const log = statSync(`${database.name}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return pages * pageSize + log;
}

/** Reads what was pruned, and when. Costs the same whatever the size of the store. */
async function readRetention({ query }: Connection): Promise<RetentionRecord> {
  const row = await query.selectFrom('retention').selectAll().where('id', '=', 1).executeTakeFirstOrThrow();
  const oldest = await query
    .selectFrom('events')
    .select('received_at')
    .where('id', '>=', row.first_body)
    .where('body', 'is not', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return retentionRecord(row, oldest?.received_at ?? null);
}
