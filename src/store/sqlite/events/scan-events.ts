/** Searches the log of events in steps, each bounded in time. */
import { sql } from 'kysely';
import { createContentTest, type ContentTest } from '../../../event/content/content-test.ts';
import type { EventRecord } from '../../../event/stored-event.ts';
import type { EventFilter, EventScan, Queries, ScannedEvents } from '../../queries.ts';
import type { Connection } from '../sql/connection.ts';
import { anyOf } from '../sql/expressions.ts';
import { eventCondition, failuresOf } from '../../shared/events/event-conditions.ts';
import { eventRecord } from '../../shared/events/event-record.ts';
import {
  MAX_INDEXED,
  MAX_TESTED,
  scanInSteps,
  type ScanStep,
  type Seen,
} from '../../shared/events/scan-steps.ts';
import { bodyText, eventColumns } from './stored-events.ts';

/** Part of the log: events below one row number and above another. */
interface Range {
  readonly below: number;
  readonly above: number;
  /** Whether it is a small part, which is walked event by event. */
  readonly walked: boolean;
}

/** An event that meets the filter, with what a test of its body needs. */
interface Candidate {
  readonly id: number;
  readonly kind: string;
  readonly source: string;
  /** Null once pruned, and while it is not read. */
  readonly body: string | null;
}

/** The matches of a range, newest first, and the lowest row that was looked at. */
interface Found {
  readonly rows: readonly number[];
  readonly through: number;
  readonly looked: number;
}

/**
 * Looks at events from the newest to the oldest for a bounded time, whatever the filter is: a filter that few of
 * five million events match would otherwise read all of them. Events are numbered without gaps, and statements
 * walk ranges of their numbers.
 */
export function createScanEvents(connection: Connection): Pick<Queries, 'scanEvents' | 'countEvents'> {
  const { database, query, ids, clock } = connection;

  async function lastRow(): Promise<number> {
    const last = await query
      .selectFrom('events')
      .select(({ fn }) => fn.max('id').as('id'))
      .executeTakeFirst();
    return last?.id ?? 0;
  }

  async function receivedAt(row: number): Promise<number | null> {
    const found = query.selectFrom('events').select('received_at').where('id', '=', row);
    return (await found.executeTakeFirst())?.received_at ?? null;
  }

  async function recordsOf(rows: readonly number[]): Promise<readonly EventRecord[]> {
    if (rows.length === 0) return [];
    const found = await query
      .selectFrom('events')
      .innerJoin('subjects', 'subjects.id', 'events.subject_id')
      .select(eventColumns)
      .where('events.id', 'in', anyOf(rows))
      .orderBy('events.id', 'desc')
      .execute();
    return found.map((row) => eventRecord(row, ids));
  }

  /** Whether an index leads to the events of a filter: one statement then looks for them anywhere, and sorts them. */
  async function hasIndex({ ids: named, subject, company, status, error }: EventFilter): Promise<boolean> {
    if (named !== undefined || subject !== undefined || company !== undefined) return true;
    if (error !== undefined) {
      const found = sql<{
        found: number;
      }>`select count(*) as found from (${failuresOf(error)} limit ${MAX_INDEXED + 1})`;
      return ((await found.execute(query)).rows[0]?.found ?? 0) <= MAX_INDEXED;
    }
    if (status === undefined || status === 'succeeded' || status === 'skipped') return false;
    const counted = query
      .selectFrom('delivery_counts')
      .select(({ fn }) => fn.sum<number | null>('deliveries').as('deliveries'))
      .where('status', '=', status);
    return ((await counted.executeTakeFirst())?.deliveries ?? 0) <= MAX_INDEXED;
  }

  const inRange = (filter: EventFilter, { below, above, walked }: Range, limit: number) =>
    query
      .selectFrom('events')
      .where('events.id', '<', below)
      .where('events.id', '>', above)
      .where(eventCondition(filter, connection, walked ? 'walked' : 'few'))
      .orderBy('events.id', 'desc')
      .limit(limit);

  /** The events of a range that meet the filter. */
  function matching(filter: EventFilter, range: Range, limit: number): Found {
    const text = inRange(filter, range, limit).select('events.id').compile();
    const rows = database
      .prepare<unknown[], number>(text.sql)
      .pluck()
      .all(...text.parameters);
    const through = rows.length < limit ? range.above + 1 : rows.at(-1)!;
    return { rows, through, looked: rows.length };
  }

  const bodyOf = database
    .prepare<[number], string | null>('select cast(body as text) from events where id = ?')
    .pluck();

  /** As `matching`, of those whose bodies pass. Reads one body at a time: each may have megabytes. */
  function passing(
    filter: EventFilter,
    range: Range,
    {
      test,
      limit,
      isOver,
      sorts,
    }: { test: ContentTest; limit: number; isOver: () => boolean; sorts: boolean },
  ): Found {
    const { sql: text, parameters } = inRange(filter, range, MAX_TESTED)
      .innerJoin('subjects', 'subjects.id', 'events.subject_id')
      .select(['events.id', 'events.kind', 'subjects.source'])
      // A sort would hold all bodies in memory.
      .$if(!sorts, (page) => page.select(bodyText.as('body')))
      .compile();
    const candidates = database.prepare<unknown[], Candidate>(text);
    const rows: number[] = [];
    let looked = 0;
    const found = sorts ? candidates.all(...parameters) : candidates.iterate(...parameters);
    for (const candidate of found) {
      looked += 1;
      const body = sorts ? bodyOf.get(candidate.id) : candidate.body;
      if (body != null && test(candidate, body)) rows.push(candidate.id);
      if (rows.length === limit || looked === MAX_TESTED || isOver())
        return { rows, through: candidate.id, looked };
    }
    return { rows, through: range.above + 1, looked };
  }

  /** How a scan looks: at ranges of numbers, or wherever the index of the filter leads. */
  function lookBy(find: (range: Range, limit: number) => Found, indexed: boolean) {
    return ({ below, window, limit }: ScanStep): Seen => {
      const above = indexed ? 0 : Math.max(0, below - 1 - window);
      const { rows, through, looked } = find({ below, above, walked: !indexed }, limit);
      return { rows, through, looked: indexed ? looked : below - through, isEnd: through <= 1 };
    };
  }

  return {
    async countEvents(filter, { max, maxMs }) {
      const last = await lastRow();
      if (Object.keys(filter).length === 0) return { count: Math.min(last, max), isWhole: last <= max };
      const until = clock.monotonic() + maxMs;
      const find = (range: Range, limit: number) => matching(filter, range, limit);
      const { rows, isEnd } = await scanInSteps(lookBy(find, await hasIndex(filter)), {
        ...{ below: last + 1, limit: max + 1 },
        isOver: () => clock.monotonic() >= until,
      });
      return { count: Math.min(rows.length, max), isWhole: isEnd && rows.length <= max };
    },
    async scanEvents({ filter, content, limit, after, maxMs }: EventScan): Promise<ScannedEvents> {
      const startedAt = clock.monotonic();
      const isOver = (): boolean => clock.monotonic() - startedAt >= maxMs;
      const start = after === undefined ? (await lastRow()) + 1 : ids.eventRow(after);
      if (start === undefined) return { found: [], through: null, throughAt: null, looked: 0, isEnd: true };
      const test = content === null ? null : createContentTest(content);
      const sorts = await hasIndex(filter);
      const find = (range: Range, left: number): Found =>
        test === null
          ? matching(filter, range, left)
          : passing(filter, range, { test, limit: left, isOver, sorts });
      const seen = await scanInSteps(lookBy(find, sorts), { below: start, limit, isOver });
      const { rows, through, looked, isEnd } = seen;
      return {
        found: await recordsOf(rows),
        through: through === start ? null : ids.event(through),
        throughAt: through === start ? null : await receivedAt(through),
        looked,
        isEnd,
      };
    },
  };
}
