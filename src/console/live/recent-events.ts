/** The newest events, with which a live page begins. */
import { eventNumber } from '../../handle/fold/event-number.ts';
import { statusCounts, type StatusCounts } from '../../operate/show/event-outcomes.ts';
import type { Queries } from '../../store/queries.ts';
import { liveFilterMatches, type LiveEvent, type LiveFilter } from './live-filter.ts';

/** Events that are looked at, newest first. More would make a reconnect of many pages expensive. */
export const MAX_SEARCHED = 1_000;
/** Rows of a page, and of a message of its stream. */
export const MAX_ROWS = 100;

/** An event with the outcome of its deliveries. */
export interface LiveRow {
  readonly event: LiveEvent;
  readonly outcome: StatusCounts;
}

/** The newest events that a filter selects. */
export interface RecentEvents {
  /** Newest first. */
  readonly rows: readonly LiveRow[];
  /** The newest event, whether the filter selects it or not; null in an empty store. */
  readonly newest: string | null;
  /** Whether there are older events, which were not looked at. */
  readonly older: boolean;
}

/** Reads the newest events and what became of them, in two queries whose cost does not grow with the store. */
export async function recentEvents(
  store: Pick<Queries, 'events' | 'deliveriesOf'>,
  filter: LiveFilter,
): Promise<RecentEvents> {
  const found = await store.events({}, { order: 'newest', limit: MAX_SEARCHED });
  const selected = found.filter((event) => liveFilterMatches(filter, event));
  const events = selected.slice(0, MAX_ROWS);
  const outcomes = await statusCounts(
    store,
    events.map(({ id }) => id),
  );
  const isAll = found.length < MAX_SEARCHED || eventNumber(found.at(-1)?.id ?? '') === 1;
  return {
    rows: events.map((event) => ({ event, outcome: outcomes.get(event.id) ?? {} })),
    newest: found[0]?.id ?? null,
    older: !isAll || selected.length > MAX_ROWS,
  };
}
