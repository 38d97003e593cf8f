/** What is known of the kinds that a source has sent. */
import type { ReceivedKind, UncountedArrivals } from '../../monitoring.ts';
import type { DatabaseSchema } from '../tables.ts';

/** The newest uncounted events that a read of the state counts for itself. */
export const MAX_COUNTED_BY_READ = 50_000;

/** The hours that `hourly_counts` keeps: twelve weeks. Older counts are deleted. */
export const KEPT_HOURS = 12 * 7 * 24;

/** Hours for which rejections are kept; find-problems.ts compares the last 170. */
export const KEPT_REJECTION_HOURS = 9 * 24;

type Arrival = UncountedArrivals['arrivals'][number];

/** Events of one source, kind and hour, counted from the log. */
export interface ArrivalRow {
  source: string;
  counted_kind: string;
  recognized: number;
  hour: number;
  events: number;
  first: number;
  last: number;
}

export function arrivalOf(row: ArrivalRow): Arrival {
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

/** Adds what is not counted yet to the counts. */
export function receivedKinds(
  counted: readonly DatabaseSchema['received_counts'][],
  uncounted: readonly Arrival[],
): readonly ReceivedKind[] {
  const kinds = new Map<string, ReceivedKind>();
  const add = (next: ReceivedKind): void => {
    const key = `${next.source} ${next.kind}`;
    kinds.set(key, together(kinds.get(key), next));
  };
  for (const row of counted)
    add({
      source: row.source,
      kind: row.kind,
      recognized: row.recognized === 1,
      events: row.events,
      firstReceivedAt: row.first_received_at,
      lastReceivedAt: row.last_received_at,
    });
  for (const { hour: _hour, ...arrival } of uncounted) add(arrival);
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
