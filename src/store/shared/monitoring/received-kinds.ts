/** Counts stored events by source, kind and hour, each once. */
import { sql, type RawBuilder } from 'kysely';
import type { ReceivedKind, UncountedArrivals } from '../../monitoring.ts';
import { larger } from '../sql/dialect.ts';
import type { SqlReads } from '../sql/statements.ts';
import type { DatabaseSchema } from '../tables.ts';

/** What differs between the databases when events are counted. */
export interface CountedEvents {
  /** The table whose `kind`s are counted by their names; other unknown kinds are counted together. */
  readonly kinds: 'event_counts' | 'counted_kinds';
  /** Returns a number up to which no event is still to come. */
  completeThrough(): Promise<number>;
}

/** The newest uncounted events that a read of the state counts for itself. */
const MAX_COUNTED_BY_READ = 50_000;

/** The hours that `hourly_counts` keeps: twelve weeks. Older counts are deleted. */
export const KEPT_HOURS = 12 * 7 * 24;

/** Hours for which rejections are kept; find-problems.ts compares the last 170. */
export const KEPT_REJECTION_HOURS = 9 * 24;

type Arrival = UncountedArrivals['arrivals'][number];

/** Events of one source, kind and hour, counted from the log. */
interface ArrivalRow {
  source: string;
  counted_kind: string;
  recognized: number;
  hour: number;
  events: number;
  first: number;
  last: number;
}

/**
 * Counts the oldest uncounted events, at most `limit`. Processes commit the numbers of events out of order, and the
 * counting must not pass one that is still to come.
 */
export async function readUncounted(
  read: SqlReads,
  counted: CountedEvents,
  limit: number,
): Promise<UncountedArrivals> {
  const complete = await counted.completeThrough();
  const bounds = await read.first(
    sql<{ after: number; newest: number | null }>`
      select through as after, (select max(id) from events where id <= ${complete}) as newest from counted_events`,
  );
  const after = bounds?.after ?? 0;
  const newest = Math.max(after, bounds?.newest ?? 0);
  if (newest === after) return { after, through: after, more: false, arrivals: [] };
  const page = await read.first(
    sql<{ events: number; last: number }>`
      select count(*) as events, max(id) as last
      from (select id from events where id > ${after} and id <= ${newest} order by id limit ${limit}) as page`,
  );
  const through = page?.events === limit ? page.last : newest;
  // The source comes from a query of its own, so that no plan reads all subjects for it.
  const arrivals = await read.rows(
    sql<ArrivalRow>`
      select (select source from subjects where subjects.id = events.subject_id) as source,
        ${countedKind(counted)} as counted_kind, recognized, received_at / 3600000 as hour,
        count(*) as events, min(received_at) as first, max(received_at) as last
      from events where events.id > ${after} and events.id <= ${through}
      group by 1, 2, 3, 4`,
  );
  return { after, through, more: through < newest, arrivals: arrivals.map(arrivalOf) };
}

/**
 * Reads the counts, and counts the newest events itself: in one statement, between whose parts no other process counts.
 * Numbers may have gaps, so `uncounted` may say more than there are.
 */
export async function readReceived(
  read: SqlReads,
  counted: CountedEvents,
): Promise<{ readonly received: readonly ReceivedKind[]; readonly uncounted: number }> {
  const found = await read.rows(
    sql<DatabaseSchema['received_counts'] & { uncounted: number }>`
      with bounds as materialized (
        select through as counted, newest, ${larger('through', `newest - ${String(MAX_COUNTED_BY_READ)}`)} as start
        from counted_events, (select coalesce(max(id), 0) as newest from events) as log
      ), counts as (
        select source, kind, recognized, events, first_received_at, last_received_at from received_counts
        union all
        select (select source from subjects where subjects.id = events.subject_id), ${countedKind(counted)}, recognized,
          count(*), min(received_at), max(received_at)
        from events
        where events.id > (select start from bounds) and events.id <= (select newest from bounds)
        group by 1, 2, 3
      )
      select counts.*, (select start - counted from bounds) as uncounted from counts`,
  );
  return { received: receivedKinds(found), uncounted: found[0]?.uncounted ?? 0 };
}

/** The kind that an event is counted under: unknown kinds that are counted together elsewhere are together here, too. */
function countedKind({ kinds }: CountedEvents): RawBuilder<string> {
  return sql`case when recognized = 1 or kind in (select counted.kind from ${sql.table(kinds)} as counted) then kind else '' end`;
}

function arrivalOf(row: ArrivalRow): Arrival {
  return {
    source: row.source,
    kind: row.counted_kind,
    recognized: row.recognized === 1,
    hour: row.hour,
    events: row.events,
    firstReceivedAt: row.first,
    lastReceivedAt: row.last,
  };
}

/** Adds up counts of the same source and kind. */
function receivedKinds(counts: readonly DatabaseSchema['received_counts'][]): readonly ReceivedKind[] {
  const kinds = new Map<string, ReceivedKind>();
  for (const row of counts) {
    const key = `${row.source} ${row.kind}`;
    const next = {
      source: row.source,
      kind: row.kind,
      recognized: row.recognized === 1,
      events: row.events,
      firstReceivedAt: row.first_received_at,
      lastReceivedAt: row.last_received_at,
    };
    kinds.set(key, together(kinds.get(key), next));
  }
  return [...kinds.keys()].sort().flatMap((key) => kinds.get(key) ?? []);
}

function together(known: ReceivedKind | undefined, next: ReceivedKind): ReceivedKind {
  if (known === undefined) return next;
  return {
    ...next,
    recognized: known.recognized || next.recognized,
    events: known.events + next.events,
    firstReceivedAt: Math.min(known.firstReceivedAt, next.firstReceivedAt),
    lastReceivedAt: Math.max(known.lastReceivedAt, next.lastReceivedAt),
  };
}
