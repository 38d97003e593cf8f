import { statSync } from 'node:fs';
import type { Verdict } from '../../event/stored-event.ts';
import type { DeliveryStatus, StoreStatistics } from '../queries.ts';
import type { Connection } from './connection.ts';
import type { StoreLimits } from './write-operations.ts';

/** Numbers for people and metrics, from tables of counts: cheap whatever the size of the store. */
export async function readStatistics(
  connection: Connection,
  { installation, maxQuarantineBytes }: { readonly installation: string } & StoreLimits,
): Promise<StoreStatistics> {
  const { query } = connection;
  const events = await query.selectFrom('event_counts').selectAll().orderBy('kind').execute();
  const deliveries = await query.selectFrom('delivery_counts').selectAll().orderBy('handler').execute();
  const rowCounts = new Map(
    (await query.selectFrom('row_counts').selectAll().execute()).map((row) => [row.name, row.rows]),
  );
  const quarantine = await query.selectFrom('quarantine_counts').selectAll().execute();
  const droppedOf = (verified: number) =>
    sum(quarantine.filter((row) => row.verified === verified).map((row) => row.dropped));
  const ofVerdict = (verdict: Verdict) => eventsIn(events.filter((row) => row.verdict === verdict));

  return {
    installation,
    events: eventsIn(events),
    repeats: sum(events.map((row) => row.repeats)),
    byVerdict: { new: ofVerdict('new'), stale: ofVerdict('stale'), ambiguous: ofVerdict('ambiguous') },
    unrecognized: eventsIn(events.filter((row) => row.recognized === 0)),
    deliveries: byStatus(deliveries),
    byKind: [...Map.groupBy(events, (row) => row.kind)].map(([kind, rows]) => ({
      kind,
      events: eventsIn(rows),
      lastReceivedAt: Math.max(...rows.map((row) => row.last_received_at)),
    })),
    byHandler: [...Map.groupBy(deliveries, (row) => row.handler)].map(([handler, rows]) => ({
      handler,
      ...byStatus(rows),
    })),
    subjects: await countSubjects(connection),
    quarantineHeld: sum(quarantine.map((row) => row.held)),
    quarantineBytes: sum(quarantine.map((row) => row.bytes)),
    quarantineMaxBytes: maxQuarantineBytes,
    quarantineDropped: { verified: droppedOf(1), unverified: droppedOf(0) },
    anomalies: rowCounts.get('anomalies') ?? 0,
    oldestPendingAt: await oldestPendingAt(connection),
    bytes: bytesOf(connection),
  };
}

/** Subjects stay and are numbered one after the other: the last number is their count. */
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

function eventsIn(rows: readonly { readonly events: number }[]): number {
  return sum(rows.map((row) => row.events));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The file's pages and what waits in its write-ahead log. */
function bytesOf({ database }: Connection): number {
  const pages = database.pragma('page_count', { simple: true }) as number;
  const pageSize = database.pragma('page_size', { simple: true }) as number;
  const log = statSync(`${database.name}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return pages * pageSize + log;
}
