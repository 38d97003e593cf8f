/** Searches the log of events in steps, each bounded in time. */
import { sql } from 'kysely';
import { createContentTest, type ContentTest } from '../../../event/content/content-test.ts';
import type { EventFilter, EventScan, Queries, ScannedEvents } from '../../queries.ts';
import {
  MAX_INDEXED,
  MAX_TESTED,
  scanInSteps,
  type ScanStep,
  type Seen,
} from '../../shared/events/scan-steps.ts';
import type { Connection } from '../sql/connection.ts';
import { bodiesOf } from './body-reads.ts';
import { hasStatus } from '../sql/dialect.ts';
import { eventCondition, failuresOf } from '../../shared/events/event-conditions.ts';
import { recordsOf } from './event-reads.ts';

/** Part of the log: events below one row number, from another one on. */
interface Range {
  readonly below: number;
  readonly from: number;
}

/** The matches of a range, newest first, and the lowest row that was looked at. */
interface Found {
  readonly rows: readonly number[];
  readonly through: number;
  readonly looked: number;
}

/** The lowest and the highest number of an event; `first` is above `last` when there is none. */
interface Bounds {
  readonly first: number;
  readonly last: number;
}

/**
 * Looks at events from the newest to the oldest for a bounded time, whatever the filter is: a filter that few of
 * five million events match would otherwise read all of them. Numbers of events have gaps, so a step counts rows.
 *
 * An event that another process commits meanwhile may have a number that the search has passed. It was stored after
 * that part was read, and the next search finds it.
 */
export function createScanEvents(connection: Connection): Pick<Queries, 'scanEvents' | 'countEvents'> {
  const { read, ids, clock } = connection;

  async function boundsOf(): Promise<Bounds> {
    const row = await read.first(sql<Bounds>`
      select coalesce(min(id), 1) as first, coalesce(max(id), 0) as last from events`);
    return row ?? { first: 1, last: 0 };
  }

  async function receivedAt(row: number): Promise<number | null> {
    const found = await read.first(
      sql<{ at: number }>`select received_at as at from events where id = ${row}`,
    );
    return found?.at ?? null;
  }

  /** Whether an index leads to the events of a filter: one statement then looks for them anywhere, and sorts them. */
  async function hasIndex({ ids: named, subject, company, status, error }: EventFilter): Promise<boolean> {
    if (named !== undefined || subject !== undefined || company !== undefined) return true;
    if (error === undefined && (status === undefined || status === 'succeeded' || status === 'skipped'))
      return false;
    const few =
      error === undefined
        ? sql`select from deliveries where ${hasStatus(status ?? 'dead')}`
        : failuresOf(error);
    const row = await read.first(sql<{ count: number }>`
      select count(*) as count from (${few} limit ${MAX_INDEXED + 1}) as first`);
    return (row?.count ?? 0) <= MAX_INDEXED;
  }

  const inRange = (filter: EventFilter, { below, from }: Range, indexed: boolean) => sql`
    events.id < ${below} and events.id >= ${from} and ${eventCondition(filter, connection, indexed ? 'few' : 'walked')}`;

  /** Finds the events of a range that meet a filter. */
  async function matching(filter: EventFilter, range: Range, { limit, indexed }: Bounded): Promise<Found> {
    const found = await read.rows(sql<{ id: number }>`
      select events.id from events where ${inRange(filter, range, indexed)}
      order by events.id desc limit ${limit}`);
    const rows = found.map(({ id }) => id);
    const through = rows.length < limit ? range.from : (rows.at(-1) ?? range.from);
    return { rows, through, looked: rows.length };
  }

  /** As `matching`, of those whose bodies pass. */
  async function passing(
    filter: EventFilter,
    range: Range,
    { limit, indexed, test, isOver }: Bounded & { test: ContentTest; isOver: () => boolean },
  ): Promise<Found> {
    const candidates = await read.rows(sql<Candidate>`
      select events.id, events.kind, events.received_at as "receivedAt",
        (select source from subjects where subjects.id = events.subject_id) as source
      from events where ${inRange(filter, range, indexed)} order by events.id desc limit ${MAX_TESTED}`);
    const rows: number[] = [];
    let looked = 0;
    for await (const { event, body, isLastHeld } of bodiesOf(read, candidates)) {
      looked += 1;
      if (body !== null && test(event, body)) rows.push(event.id);
      // Bodies that are held are tested in any case: finding them took longer.
      if (rows.length === limit || looked === MAX_TESTED || (isLastHeld && isOver()))
        return { rows, through: event.id, looked };
    }
    return { rows, through: range.from, looked };
  }

  async function countOf({ below, from }: Range): Promise<number> {
    const row = await read.first(sql<{ count: number }>`
      select count(*) as count from events where id < ${below} and id >= ${from}`);
    return row?.count ?? 0;
  }

  /** How a scan looks: at so many rows, or wherever the index of the filter leads. */
  function lookBy(find: (range: Range, limit: number) => Promise<Found>, first: number, indexed: boolean) {
    return async ({ below, window, limit }: ScanStep): Promise<Seen> => {
      const from = indexed ? first : await startOf(below, window);
      const { rows, through, looked } = await find({ below, from }, limit);
      return {
        rows,
        through: Math.min(through, below),
        looked: indexed ? looked : await countOf({ below, from: through }),
        isEnd: through <= first,
      };
    };
  }

  /** Returns the lowest of so many events below a number; the number itself when there is none. */
  async function startOf(below: number, window: number): Promise<number> {
    const row = await read.first(sql<{ id: number | null }>`
      select min(id) as id from (
        select id from events where id < ${below} order by id desc limit ${window}
      ) as window_of_events`);
    return row?.id ?? below;
  }

  return {
    async countEvents(filter, { max, maxMs }) {
      const until = clock.monotonic() + maxMs;
      if (Object.keys(filter).length === 0) return countAll(max);
      const { first, last } = await boundsOf();
      const indexed = await hasIndex(filter);
      const find = (range: Range, limit: number) => matching(filter, range, { limit, indexed });
      const { rows, isEnd } = await scanInSteps(lookBy(find, first, indexed), {
        ...{ below: last + 1, limit: max + 1 },
        isOver: () => clock.monotonic() >= until,
      });
      return { count: Math.min(rows.length, max), isWhole: isEnd && rows.length <= max };
    },
    async scanEvents({ filter, content, limit, after, maxMs }: EventScan): Promise<ScannedEvents> {
      const startedAt = clock.monotonic();
      const isOver = (): boolean => clock.monotonic() - startedAt >= maxMs;
      const { first, last } = await boundsOf();
      const start = after === undefined ? last + 1 : ids.eventRow(after);
      if (start === undefined) return { found: [], through: null, throughAt: null, looked: 0, isEnd: true };
      const test = content === null ? null : createContentTest(content);
      const indexed = await hasIndex(filter);
      const find = (range: Range, left: number) =>
        test === null
          ? matching(filter, range, { limit: left, indexed })
          : passing(filter, range, { limit: left, indexed, test, isOver });
      const seen = await scanInSteps(lookBy(find, first, indexed), { below: start, limit, isOver });
      const { rows, through, looked, isEnd } = seen;
      return {
        found: await recordsOf(connection, rows),
        through: through === start ? null : ids.event(through),
        throughAt: through === start ? null : await receivedAt(through),
        looked,
        isEnd,
      };
    },
  };

  /** The sum of all changes of counts: numbers of events do not tell how many there are. */
  async function countAll(max: number): Promise<{ readonly count: number; readonly isWhole: boolean }> {
    const row = await read.first(sql<{ events: number }>`
      select coalesce(sum(events), 0) as events from event_counts`);
    const events = row?.events ?? 0;
    return { count: Math.min(events, max), isWhole: events <= max };
  }
}

/** How many matches to find at most, and whether the index of the filter leads to them. */
interface Bounded {
  readonly limit: number;
  readonly indexed: boolean;
}

/** An event that meets the filter, with what a test of its body needs. */
interface Candidate {
  readonly id: number;
  readonly kind: string;
  readonly source: string;
  readonly receivedAt: number;
}
