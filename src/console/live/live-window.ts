/** Keeps the newest events of the store and their outcomes, for all live pages of this process. */
import { isDeepStrictEqual } from 'node:util';
import { patternMatches } from '../../contract/event-pattern.ts';
import type { EventRecord } from '../../event/stored-event.ts';
import { subjectName } from '../../event/subject.ts';
import { failureReason } from '../../kernel/failure-reason.ts';
import type { Cancel } from '../../kernel/time/clock.ts';
import type { QuarantineRecord } from '../../store/queries.ts';
import { statusCounts, type StatusCounts } from '../../operate/show/event-outcomes.ts';
import type { ConsoleDeps } from '../console-deps.ts';

/** Milliseconds between reads, at least, at most, and for each new event: more than 200 a second are no reading. */
const [INTERVAL_MS, LONGEST_INTERVAL_MS, EVENT_MS] = [100, 1_000, 5];
/** Milliseconds between reads without a report: those of other processes may not be reported. */
export const LOOK_MS = 1_000;
/** Events that are looked at, newest first. More would make a reconnect of many pages expensive. */
export const MAX_EVENTS = 1_000;
/** Rows of a page that loads. */
const PAGE_ROWS = 30;
/** Rows of a message of its stream. */
export const MAX_ROWS = 100;

/** An event with the number of its deliveries by status; undefined without deliveries. */
export interface EventLiveRow {
  readonly event: EventRecord;
  readonly outcome: StatusCounts | undefined;
}

/** An event, or a webhook in quarantine. */
export type LiveRow = EventLiveRow | { readonly entry: QuarantineRecord };

/** Selects events and held webhooks by what a row shows of them, so that none needs a query. */
export type LiveFilter = (shown: EventRecord | QuarantineRecord) => boolean;

/** An open page. */
export interface Follower {
  readonly filter: LiveFilter;
  /** Is called after each read. */
  readonly changed: () => void;
  /** Is called when the process stops. */
  readonly end: () => void;
}

/** The newest events, up to 1,000, as they were read last. */
export type LiveWindow = ReturnType<typeof createLiveWindow>;

/** Reads the filter in an address: kind or wildcard, source, verdict, and a subject or its family. */
export function liveFilter(parameters: URLSearchParams): LiveFilter {
  const given = (name: string): string => parameters.get(name)?.trim() ?? '';
  const [kind, source, verdict] = [given('kind'), given('source'), given('verdict')];
  const subject = given('subject').replace(/:$/u, '');
  return (shown) => {
    const name =
      typeof shown.subject === 'object' && shown.subject !== null
        ? subjectName(shown.subject)
        : shown.subject;
    return (
      (kind === '' || patternMatches(kind, shown.kind ?? '')) &&
      (source === '' || source === shown.source) &&
      (verdict === '' || ('verdict' in shown && verdict === shown.verdict)) &&
      (subject === '' || [name, name?.split(':')[0]].includes(subject))
    );
  };
}

/** Reads the rows of a page that loads, newest first, and the newest event of all; null in an empty store. */
export async function recentRows(
  store: ConsoleDeps['store'],
  filter: LiveFilter,
): Promise<{ readonly rows: readonly LiveRow[]; readonly newest: string | null }> {
  const found = await store.events({}, { order: 'newest', limit: MAX_EVENTS });
  const shown = found.filter(filter).slice(0, PAGE_ROWS);
  const outcomes = await statusCounts(store, shown.map(idOf));
  const held = (await readHeld(store)).filter(filter);
  return {
    rows: newestFirst([
      ...shown.map((event) => ({ event, outcome: outcomes.get(event.id) })),
      ...held.map((entry) => ({ entry })),
    ]).slice(0, PAGE_ROWS),
    newest: found[0]?.id ?? null,
  };
}

function readHeld(store: ConsoleDeps['store']): Promise<readonly QuarantineRecord[]> {
  return store.quarantined({ status: 'held' }, { order: 'newest', limit: MAX_ROWS });
}

/** Rows in the order of a page. */
export function newestFirst(rows: readonly LiveRow[]): readonly LiveRow[] {
  const at = (row: LiveRow): number => ('entry' in row ? row.entry : row.event).receivedAt;
  return rows.toSorted((one, other) => at(other) - at(one));
}

export function createLiveWindow({
  feed,
  store,
  clock,
  log,
}: Pick<ConsoleDeps, 'feed' | 'store' | 'clock' | 'log'>) {
  const followers = new Set<Follower>();
  let events: readonly EventRecord[] = [];
  let held: readonly QuarantineRecord[] = [];
  let outcomes: ReadonlyMap<string, StatusCounts> = new Map();
  let running: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | null = null;
  let cancelRead: Cancel | null = null;
  let nextAt = 0;

  /** Reads what is new. Whoever asks during a read waits for one that begins after it. */
  function read(): Promise<void> {
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
    const before = events;
    const found = await newEvents(before[0]?.id);
    const interval = Math.min(LONGEST_INTERVAL_MS, Math.max(INTERVAL_MS, found.length * EVENT_MS));
    nextAt = clock.monotonic() + interval;
    events = [...found, ...before].slice(0, MAX_EVENTS);
    held = await readHeld(store);
    const shown = [...followers].flatMap(({ filter }) => events.filter(filter).slice(0, MAX_ROWS));
    const counts = await statusCounts(store, [...new Set(shown.map(idOf))]);
    const same = (id: string, now: StatusCounts): StatusCounts => {
      const known = outcomes.get(id);
      return known !== undefined && isDeepStrictEqual(known, now) ? known : now;
    };
    outcomes = new Map(Array.from(counts, ([id, now]) => [id, same(id, now)]));
    for (const { changed } of followers) changed();
  }

  /** Newest first. */
  async function newEvents(after: string | undefined): Promise<readonly EventRecord[]> {
    if (after !== undefined) {
      const found = await store.events({}, { order: 'oldest', limit: MAX_EVENTS, after });
      if (found.length < MAX_EVENTS) return found.toReversed();
    }
    // At the begin, and when more came than are kept.
    return store.events({}, { order: 'newest', limit: MAX_EVENTS });
  }

  function schedule(): void {
    cancelRead ??= clock.after(Math.max(INTERVAL_MS, nextAt - clock.monotonic()), () => {
      cancelRead = null;
      read().catch((error: unknown) => {
        log.error({ reason: failureReason(error) }, 'the events for live pages could not be read');
      });
    });
  }

  /** Returns what ends the reads. */
  function begin(): Cancel {
    const stopListening = feed.listen({
      report(name) {
        if (name === 'event.stored' || name.startsWith('delivery.')) schedule();
      },
      ended() {
        for (const { end } of followers) end();
      },
    });
    const stopForeign = store.onForeignChange(schedule);
    let cancelLook: Cancel;
    const look = (): void => {
      cancelLook = clock.after(LOOK_MS, look);
      schedule();
    };
    cancelLook = clock.after(LOOK_MS, look);
    return () => {
      for (const cancel of [stopListening, stopForeign, cancelLook, cancelRead]) cancel?.();
      cancelRead = null;
      events = [];
    };
  }

  let stop: Cancel = () => undefined;
  return {
    /** Newest first. */
    events: () => events,
    /** Webhooks in quarantine, newest first. */
    held: () => held,
    /** Of the events that followers show. An outcome that has not changed is the same object. */
    outcomes: () => outcomes,
    read,
    /** Reads whenever something changes, for as long as anybody follows. Returns what ends that. */
    follow(follower: Follower): Cancel {
      followers.add(follower);
      if (followers.size === 1) stop = begin();
      return () => {
        if (followers.delete(follower) && followers.size === 0) stop();
      };
    },
  };
}

function idOf({ id }: EventRecord): string {
  return id;
}
