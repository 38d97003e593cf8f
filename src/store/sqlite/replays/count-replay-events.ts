/** Counts the events that a replay would select. */
import { sql, type RawBuilder } from 'kysely';
import type { ReplaySelection, Replays } from '../../replays.ts';
import { NO_NAMES, traitColumns, traitsCount, type TraitsCount } from '../../shared/replays/replay-traits.ts';
import { classCondition } from '../../shared/events/event-conditions.ts';
import { sqliteDialect } from '../sql/dialect.ts';
import type { Connection } from '../sql/connection.ts';
import { OTHER_KINDS } from '../../shared/statistics/counted-kinds.ts';
import { mayBeCountedTogether } from '../statistics/counted-kinds.ts';
import { deliveredNames, matchingEvents, selectedEvents } from './replay-selection.ts';

type Counted = Parameters<Replays['countReplayEvents']>[0];

/** Counts the events of a replay: from the tables of counts if they suffice, else event by event. */
export function createCountReplayEvents(connection: Connection): Replays['countReplayEvents'] {
  const { query, ids } = connection;

  /** Returns the number of the last event that the selection can include. */
  async function lastOf({ filter: { upTo } }: ReplaySelection): Promise<number> {
    if (upTo !== undefined) return ids.eventRow(upTo) ?? 0;
    const row = await query
      .selectFrom('events')
      .select(({ fn }) => fn.max<number | null>('id').as('last'))
      .executeTakeFirst();
    return row?.last ?? 0;
  }

  /** Removes the names that have no such delivery of any event. */
  async function withDeliveredNames(selection: Counted): Promise<Counted> {
    const counts = await query
      .selectFrom('delivery_counts')
      .select(['handler', 'status'])
      .where('deliveries', '>', 0)
      .execute();
    const succeeded = new Set(counts.flatMap((row) => (row.status === 'succeeded' ? [row.handler] : [])));
    const delivered = new Set(counts.map(({ handler }) => handler));
    return {
      ...selection,
      succeeded: selection.succeeded.filter((name) => succeeded.has(name)),
      effects: selection.effects.filter((name) => delivered.has(name)),
    };
  }

  /** Counts all events minus those after `last`, in one statement, so that both are of one moment. */
  function fromCounts({ filter }: Counted, last: number) {
    const later = query
      .selectFrom('events')
      .select(traitColumns)
      .select(sql<number>`-count(*)`.as('events'))
      .where('id', '>', last)
      .groupBy(traitColumns);
    const classes = query
      .selectFrom('event_counts')
      .select(['kind', 'recognized', 'verdict', 'events'])
      // Such events may have arrived since the check.
      .where('kind', '<>', OTHER_KINDS)
      .unionAll(later);
    return query
      .selectFrom(classes.as('events'))
      .select(traitColumns)
      .select([sql.lit(NO_NAMES).as('succeeded'), sql.lit(NO_NAMES).as('in_status')])
      .select(({ fn }) => fn.sum<number>('events.events').as('events'))
      .select(effectCounts([]).as('effects'))
      .where(classCondition(filter, sqliteDialect))
      .groupBy(traitColumns)
      .having(({ fn }) => fn.sum('events.events'), '>', 0);
  }

  return async (selection) => {
    const last = await lastOf(selection);
    const events = selectedEvents(connection, selection).where('events.id', '<=', last);
    const pruned = await countPruned(connection, selection, last);
    const narrowed = await withDeliveredNames(selection);
    const fromTables =
      pruned === 0 &&
      isCounted(narrowed) &&
      !(await mayBeCountedTogether(connection, selection.filter.kinds));
    const groups = await (
      fromTables
        ? fromCounts(narrowed, last)
        : events
            .select(traitColumns)
            .select(deliveredNames(narrowed))
            .select(({ fn }) => fn.countAll<number>().as('events'))
            .select(effectCounts(narrowed.effects).as('effects'))
            .groupBy([...traitColumns, 'succeeded', 'in_status'])
    ).execute();
    const chosen = groups.reduce((sum, group) => sum + group.events, 0);
    // Events are numbered from 1, so `last` events up to this number are all events.
    const all = query.selectFrom('events').where('events.id', '<=', last);
    // An index counts the subjects of all events; for a part of them, each event is read again.
    const { subjects } = await (chosen === last ? all : events)
      .select(({ fn }) => fn.count<number>('events.subject_id').distinct().as('subjects'))
      .executeTakeFirstOrThrow();
    return {
      groups: groups.map((row: TraitsCount) => traitsCount(row, narrowed.effects, selection.effects)),
      subjects,
      pruned,
    };
  };
}

/** Counts the pruned events of a selection. Reads no event while none is pruned. */
async function countPruned(connection: Connection, selection: Counted, last: number): Promise<number> {
  const { pruned_events: known } = await connection.query
    .selectFrom('retention')
    .select('pruned_events')
    .where('id', '=', 1)
    .executeTakeFirstOrThrow();
  if (known === 0) return 0;
  const counted = await matchingEvents(connection, selection)
    .where('events.id', '<=', last)
    .where('events.body', 'is', null)
    .select(({ fn }) => fn.countAll<number>().as('events'))
    .executeTakeFirst();
  return counted?.events ?? 0;
}

/** Whether the tables of counts suffice: they know kinds and verdicts, not single events. */
function isCounted({ filter, succeeded, effects }: Counted): boolean {
  const { kinds: _kinds, verdict: _verdict, upTo: _upTo, ...others } = filter;
  const isPlain = Object.keys(others).length === 0;
  return isPlain && succeeded.length === 0 && effects.length === 0;
}

/** Sums over the events of a group: a JSON array of two numbers for each name. */
function effectCounts(names: readonly string[]): RawBuilder<string> {
  const counts = names.flatMap((name) => {
    const distinct = sql`select count(distinct effect) from deliveries where event_id = events.id and handler = ${name}`;
    return [sql`sum((${distinct}))`, sql`sum((${distinct} and status = 'succeeded'))`];
  });
  return sql<string>`json_array(${sql.join(counts)})`;
}
