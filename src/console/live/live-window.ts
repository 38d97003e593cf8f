/** Keeps the newest events of the store and their outcomes, for all live pages of this process. */
import { eventNumber } from '../../handle/fold/event-number.ts';
import { failureReason } from '../../kernel/failure-reason.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Cancel, Clock } from '../../kernel/time/clock.ts';
import { statusCounts, type StatusCounts } from '../../operate/show/event-outcomes.ts';
import type { ForeignChanges } from '../../store/foreign-changes.ts';
import type { Queries } from '../../store/queries.ts';
import type { TelemetryFeed } from '../../telemetry/feed.ts';
import { liveFilterMatches, type LiveEvent, type LiveFilter } from './live-filter.ts';

/** Milliseconds from a change to the read of it: events of one commit share it. */
const LEAD_MS = 10;
/** Milliseconds between reads, at least, at most, and for each new event: more than 200 a second are no reading. */
const [INTERVAL_MS, LONGEST_INTERVAL_MS, EVENT_MS] = [100, 1_000, 5];
/** Milliseconds between reads without a report: those of other processes may not be reported. */
export const LOOK_MS = 1_000;

export interface LiveWindowDeps {
  readonly feed: TelemetryFeed;
  readonly store: Pick<Queries, 'events' | 'deliveriesOf'> & Pick<ForeignChanges, 'onForeignChange'>;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error'>;
}

/** How far a page has come. */
export interface Progress {
  /** The number of the last event that it knows. */
  readonly number: number;
  /** The change of the window up to which it knows all outcomes. */
  readonly change: number;
}

/** What a page does not know yet. */
export interface News {
  /** Newest first. */
  readonly rows: readonly LiveRow[];
  /** Events that it knows, with outcomes that it does not. */
  readonly outcomes: readonly LiveRow[];
  /** Events since its last one that are no rows: selected ones beyond the limit, and those that are not kept. */
  readonly missed: number;
}

/** The newest events, up to 1,000, as they were read last. */
export interface LiveWindow {
  /** The newest event up to which all were read; empty in an empty store. */
  id(): string;
  progress(): Progress;
  newsSince(progress: Progress, filter: LiveFilter): News;
  /** Reads what is new. Whoever asks during a read waits for one that begins after it. */
  read(): Promise<void>;
  /** Ends the reads. */
  close(): void;
}

interface KeptRow extends LiveRow {
  readonly number: number;
  /** The change that brought the outcome. */
  readonly change: number;
}

/**
 * Reads when telemetry or the store reports a change, and once a second, until `close`.
 *
 * @param filters what pages show: only their outcomes are read
 * @param on called after each read that found a change, and when the process stops
 */
export function createLiveWindow(
  { feed, store, clock, log }: LiveWindowDeps,
  filters: () => Iterable<LiveFilter>,
  on: { readonly changed: () => void; readonly ended: () => void },
): LiveWindow {
  /** Oldest first. */
  const kept = new Map<string, KeptRow>();
  let read = { id: '', number: 0, change: 0 };
  /** The last event that was read, whose outcome may still be missing; null before the first read. */
  let last: string | null = null;
  let running: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | null = null;
  let cancelRead: Cancel | null = null;
  let nextAt = 0;

  const stopListening = feed.listen({
    report(name) {
      if (name === 'event.stored' || name.startsWith('delivery.')) schedule();
    },
    ended: on.ended,
  });
  const stopForeign = store.onForeignChange(schedule);
  let cancelLook = clock.after(LOOK_MS, look);

  function look(): void {
    cancelLook = clock.after(LOOK_MS, look);
    schedule();
  }

  function schedule(): void {
    cancelRead ??= clock.after(Math.max(LEAD_MS, nextAt - clock.monotonic()), () => {
      cancelRead = null;
      readNext().catch((error: unknown) => {
        log.error({ reason: failureReason(error) }, 'the events for live pages could not be read');
      });
    });
  }

  function readNext(): Promise<void> {
    waiting ??= running
      .catch(() => undefined)
      .then(() => {
        waiting = null;
        running = readNow();
        return running;
      });
    return waiting;
  }

  async function readNow(): Promise<void> {
    const change = read.change + 1;
    nextAt = clock.monotonic() + INTERVAL_MS;
    const found = await newEvents();
    const interval = Math.min(LONGEST_INTERVAL_MS, Math.max(INTERVAL_MS, found.length * EVENT_MS));
    nextAt = clock.monotonic() + interval;
    for (const event of found)
      if (!kept.has(event.id))
        kept.set(event.id, { event, number: eventNumber(event.id), outcome: {}, change });
    for (const id of kept.keys()) {
      if (kept.size <= MAX_SEARCHED) break;
      kept.delete(id);
    }
    last = found.at(-1)?.id ?? last ?? '';
    const isChanged = (await readOutcomes(change)) || last !== read.id;
    read = { id: last, number: last === '' ? 0 : eventNumber(last), change };
    if (isChanged) on.changed();
  }

  async function newEvents(): Promise<readonly LiveEvent[]> {
    if (last !== null) {
      const after = last === '' ? {} : { after: last };
      const found = await store.events({}, { order: 'oldest', limit: MAX_SEARCHED, ...after });
      if (found.length < MAX_SEARCHED) return found;
    }
    // At the begin, and when more came than are kept.
    return (await store.events({}, { order: 'newest', limit: MAX_SEARCHED })).toReversed();
  }

  /** Returns whether an outcome that a page may show has changed. */
  async function readOutcomes(change: number): Promise<boolean> {
    const shown = new Set([...filters()].flatMap((filter) => select(filter).slice(0, MAX_ROWS)));
    const outcomes = await statusCounts(
      store,
      Array.from(shown, ({ event }) => event.id),
    );
    let isChanged = false;
    for (const row of shown) {
      const outcome = outcomes.get(row.event.id) ?? {};
      if (JSON.stringify(outcome) === JSON.stringify(row.outcome)) continue;
      Object.assign(row, { outcome, change });
      isChanged = true;
    }
    return isChanged;
  }

  /** Newest first. */
  function select(filter: LiveFilter): readonly KeptRow[] {
    return [...kept.values()].filter(({ event }) => liveFilterMatches(filter, event)).toReversed();
  }

  return {
    id: () => read.id,
    progress: () => read,
    newsSince({ number, change }, filter) {
      const selected = select(filter).filter((row) => row.number <= read.number);
      const unknown = selected.filter((row) => row.number > number);
      const [oldest] = kept.values();
      const before = kept.size < MAX_SEARCHED ? 0 : (oldest?.number ?? 1) - 1;
      return {
        rows: unknown.slice(0, MAX_ROWS),
        outcomes: selected
          .slice(0, MAX_ROWS)
          .filter((row) => row.number <= number && row.change > change && row.change <= read.change),
        missed: Math.max(0, unknown.length - MAX_ROWS) + Math.max(0, before - number),
      };
    },
    read: readNext,
    close() {
      stopListening();
      stopForeign();
      cancelLook();
      cancelRead?.();
    },
  };
}

/** Events that are looked at, newest first. More would make a reconnect of many pages expensive. */
const MAX_SEARCHED = 1_000;
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
