import { statSync } from 'node:fs';
import type { RejectionReason } from '../../../event/delivery.ts';
import type { Verdict } from '../../../event/stored-event.ts';
import type { DeliveryStatus, StoreStatistics, StoreTotals } from '../../queries.ts';
import type { Connection } from '../sql/connection.ts';
import { pausesInForce } from '../pauses/pause-records.ts';
import { readRetention } from '../retention/read-retention.ts';
import { freeSpace } from '../retention/space.ts';
import { OTHER_KINDS } from '../../rows/counted-kinds.ts';
import type { StoreLimits } from '../commit/write-operations.ts';

/** Reads the statistics from tables of counts: cheap whatever the size of the store. */
export async function readStatistics(
  connection: Connection,
  { storeId, ...limits }: { readonly storeId: string } & StoreLimits,
): Promise<StoreStatistics> {
  const { query } = connection;
  const events = await query.selectFrom('event_counts').selectAll().orderBy('kind').execute();
  const named = events.filter((row) => row.kind !== OTHER_KINDS);
  const others = events.filter((row) => row.kind === OTHER_KINDS);
  const ofVerdict = (verdict: Verdict) => eventsIn(events.filter((row) => row.verdict === verdict));
  const { deliveries, ...totals } = await readHandlerTotals(connection, limits);

  return {
    storeId,
    events: eventsIn(events),
    repeats: sum(events.map((row) => row.repeats)),
    byVerdict: { new: ofVerdict('new'), stale: ofVerdict('stale'), ambiguous: ofVerdict('ambiguous') },
    unrecognized: eventsIn(events.filter((row) => row.recognized === 0)),
    deliveries: byStatus(deliveries),
    byKind: [...Map.groupBy(named, (row) => row.kind)].map(([kind, rows]) => ({ kind, ...eventSum(rows) })),
    otherKinds: others.length === 0 ? null : eventSum(others),
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

const REASONS: readonly RejectionReason[] = ['malformed', 'invalid', 'conflict'];

async function readHandlerTotals(connection: Connection, { maxQuarantineBytes }: StoreLimits) {
  const quarantine = await connection.query.selectFrom('quarantine_counts').selectAll().execute();
  const free = freeSpace(connection.database);
  const droppedOf = (verified: number) =>
    sum(quarantine.filter((row) => row.verified === verified).map((row) => row.dropped));
  const heldFor = (reason: RejectionReason) =>
    sum(quarantine.filter((row) => row.reason === reason).map((row) => row.held));
  const deliveries = await connection.query
    .selectFrom('delivery_counts')
    .selectAll()
    .orderBy('handler')
    .execute();
  return {
    deliveries,
    quarantineHeld: sum(quarantine.map((row) => row.held)),
    quarantineByReason: REASONS.map((reason) => ({ reason, held: heldFor(reason) })).filter(
      ({ held }) => held > 0,
    ),
    quarantineBytes: sum(quarantine.map((row) => row.bytes)),
    quarantineMaxBytes: maxQuarantineBytes,
    quarantineDropped: { verified: droppedOf(1), unverified: droppedOf(0) },
    byHandler: [...Map.groupBy(deliveries, (row) => row.handler)].map(([handler, rows]) => ({
      handler,
      ...byStatus(rows),
    })),
    oldestPendingAt: await oldestPendingAt(connection),
    bytes: bytesOf(connection),
    freeBytes: free.bytes,
    givesBackSpace: free.inSteps,
    retention: await readRetention(connection),
    pauses: pausesInForce(connection),
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

function byStatus(
  rows: readonly { readonly status: string; readonly deliveries: number }[],
): Record<DeliveryStatus, number> {
  const count = (status: DeliveryStatus) =>
    sum(rows.filter((row) => row.status === status).map((row) => row.deliveries));
  return {
    pending: count('pending'),
    running: count('running'),
    succeeded: count('succeeded'),
    dead: count('dead'),
    skipped: count('skipped'),
  };
}

function eventSum(rows: readonly { readonly events: number; readonly last_received_at: number }[]) {
  return { events: eventsIn(rows), lastReceivedAt: Math.max(...rows.map((row) => row.last_received_at)) };
}

function eventsIn(rows: readonly { readonly events: number }[]): number {
  return sum(rows.map((row) => row.events));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The size of the file and its write-ahead log. */
function bytesOf({ database }: Connection): number {
  const pages = database.pragma('page_count', { simple: true }) as number;
  const pageSize = database.pragma('page_size', { simple: true }) as number;
  const log = statSync(`${database.name}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return pages * pageSize + log;
}
