import { createContentTest, type ContentTest } from '../../../event/content/content-test.ts';
import type { EventRecord } from '../../../event/stored-event.ts';
import type { EventFilter, EventScan, Queries, ScannedEvents } from '../../queries.ts';
import type { Connection } from '../sql/connection.ts';
import { anyOf } from '../sql/expressions.ts';
import { eventConditions, readsSubjects } from './event-conditions.ts';
import { eventRecord } from '../../rows/event-record.ts';
import { bodyText, eventColumns } from './stored-events.ts';

/** Events that the first statement of a scan looks at. Each further one looks at twice as many. */
const FIRST_WINDOW = 1_000;
const MAX_WINDOW = 8_000;
/** Deliveries in a status, up to which their index is faster than a walk of the events. */
const MAX_INDEXED = 1_000;
/** Events that one statement returns for their bodies to be tested. */
const MAX_TESTED = 500;

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
  async function hasIndex({ ids: named, subject, subjects, status }: EventFilter): Promise<boolean> {
    if (named !== undefined || subject !== undefined || subjects !== undefined) return true;
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
      .where((eb) => eb.and(eventConditions(filter, ids, walked)))
      .orderBy('events.id', 'desc')
      .limit(limit);

  /** The events of a range that meet the filter. */
  function matching(filter: EventFilter, range: Range, limit: number): Found {
    const page = inRange(filter, range, limit).select('events.id');
    const text = (
      readsSubjects(filter) ? page.innerJoin('subjects', 'subjects.id', 'events.subject_id') : page
    ).compile();
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

  return {
    async countEvents(filter, { max, maxMs }) {
      const last = await lastRow();
      if (Object.keys(filter).length === 0) return { count: Math.min(last, max), isWhole: last <= max };
      const until = clock.monotonic() + maxMs;
      const indexed = await hasIndex(filter);
      let [count, below, window] = [0, last + 1, FIRST_WINDOW];
      do {
        const range = { below, above: indexed ? 0 : Math.max(0, below - 1 - window), walked: !indexed };
        const { rows, through } = matching(filter, range, max + 1 - count);
        count += rows.length;
        below = through;
        window = Math.min(window * 2, MAX_WINDOW);
      } while (below > 1 && count <= max && clock.monotonic() < until);
      return { count: Math.min(count, max), isWhole: below <= 1 && count <= max };
    },
    async scanEvents({ filter, content, limit, after, maxMs }: EventScan): Promise<ScannedEvents> {
      const startedAt = clock.monotonic();
      const isOver = (): boolean => clock.monotonic() - startedAt >= maxMs;
      const start = after === undefined ? (await lastRow()) + 1 : ids.eventRow(after);
      if (start === undefined) return { found: [], through: null, throughAt: null, looked: 0, isEnd: true };
      const test = content === null ? null : createContentTest(content);
      const sorts = await hasIndex(filter);
      const rows: number[] = [];
      let [below, window, looked] = [start, FIRST_WINDOW, 0];
      do {
        const range = { below, above: sorts ? 0 : Math.max(0, below - 1 - window), walked: !sorts };
        const left = limit - rows.length;
        const found =
          test === null
            ? matching(filter, range, left)
            : passing(filter, range, { test, limit: left, isOver, sorts });
        rows.push(...found.rows);
        looked += sorts ? found.looked : below - found.through;
        below = found.through;
        window = Math.min(window * 2, MAX_WINDOW);
      } while (below > 1 && rows.length < limit && !isOver());
      return {
        found: await recordsOf(rows),
        through: below === start ? null : ids.event(below),
        throughAt: below === start ? null : await receivedAt(below),
        looked,
        isEnd: below <= 1,
      };
    },
  };
}
