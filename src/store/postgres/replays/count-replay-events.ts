/** Counts the events that a replay would select. */
import { sql, type RawBuilder } from 'kysely';
import { isEventKind } from '../../../contract/catalogue.ts';
import type { ReplaySelection, Replays } from '../../replays.ts';
import { OTHER_KINDS } from '../../shared/statistics/counted-kinds.ts';
import { NO_NAMES, traitsCount, type TraitsCount } from '../../shared/replays/replay-traits.ts';
import { classCondition, eventCondition } from '../../shared/events/event-conditions.ts';
import { postgresDialect } from '../sql/dialect.ts';
import { prunedAt } from '../retention/pruned-at.ts';
import type { Connection } from '../sql/connection.ts';
import type { Session } from '../sql/session.ts';
import { deliveredNames, namesAsJson } from './replay-selection.ts';

type Counted = Parameters<Replays['countReplayEvents']>[0];

/** Counts the events of a replay: from the tables of counts if they suffice, else event by event. */
export function createCountReplayEvents({ read, ids }: Connection): Pick<Replays, 'countReplayEvents'> {
  /** Returns the number of the last event that the selection can include. */
  async function lastOf({ filter: { upTo } }: ReplaySelection): Promise<number> {
    if (upTo !== undefined) return ids.eventRow(upTo) ?? 0;
    const row = await read.first(sql<{ last: number | null }>`select max(id) as last from events`);
    return row?.last ?? 0;
  }

  return {
    async countReplayEvents(selection) {
      const last = await lastOf(selection);
      const all = sql<boolean>`events.id <= ${last} and ${eventCondition(selection.filter, { ids, dialect: postgresDialect })}`;
      const chosen = sql<boolean>`${prunedAt} is null and ${all}`;
      const pruned = await countPruned(read, all);
      const narrowed = await withDeliveredNames(read, selection);
      const fromTables =
        pruned === 0 && isCounted(narrowed) && !(await mayBeCountedTogether(read, selection.filter.kinds));
      const groups = await read.rows(fromTables ? fromCounts(narrowed, last) : fromEvents(narrowed, chosen));
      return {
        groups: groups.map((row) => traitsCount(row, narrowed.effects, selection.effects)),
        subjects: await countSubjects(read, chosen, fromTables && isEverything(selection)),
        pruned,
      };
    },
  };
}

/** Counts all events minus those after `last`, in one statement, so that both are of one moment. */
function fromCounts({ filter }: Counted, last: number): RawBuilder<TraitsCount> {
  return sql<TraitsCount>`
    select kind, recognized, verdict, ${sql.lit(NO_NAMES)} as succeeded, ${sql.lit(NO_NAMES)} as in_status,
      sum(events) as events, ${effectCounts([])} as effects
    from (
      select kind, recognized, verdict, events from event_counts
      -- Such events may have arrived since the check.
      where kind <> ${OTHER_KINDS}
      union all
      select kind, recognized, verdict, -count(*) from events where id > ${last} group by 1, 2, 3
    ) as events
    where ${classCondition(filter, postgresDialect)}
    group by kind, recognized, verdict
    having sum(events) > 0`;
}

function fromEvents(selection: Counted, chosen: RawBuilder<boolean>): RawBuilder<TraitsCount> {
  return sql<TraitsCount>`
    select kind, recognized, verdict, ${namesAsJson}, count(*) as events,
      ${effectCounts(selection.effects)} as effects
    from (
      select events.id, kind, recognized, verdict, ${deliveredNames(selection)} from events where ${chosen}
    ) as events
    group by kind, recognized, verdict, succeeded, in_status`;
}

/** Whether all events are chosen, as far as they are not pruned. */
function isEverything({ filter: { kinds, verdict, upTo } }: Counted): boolean {
  return kinds === undefined && verdict === undefined && upTo === undefined;
}

/** Every subject has an event, so the count of all subjects is that of the subjects of all events. */
async function countSubjects(read: Session, chosen: RawBuilder<boolean>, isAll: boolean): Promise<number> {
  const counted = isAll
    ? sql<{ subjects: number }>`
      select coalesce(sum(rows), 0) as subjects from row_counts where name = 'subjects'`
    : sql<{ subjects: number }>`
      select count(*) as subjects from (select distinct subject_id from events where ${chosen}) as chosen`;
  return (await read.first(counted))?.subjects ?? 0;
}

/** Sums over the events of a group: a JSON array of two numbers for each name. */
function effectCounts(names: readonly string[]): RawBuilder<string> {
  const counts = names.flatMap((name) => {
    const distinct = sql`select count(distinct effect) from deliveries where event_id = events.id and handler = ${name}`;
    return [sql`sum((${distinct}))`, sql`sum((${distinct} and status = 'succeeded'))`];
  });
  return counts.length === 0
    ? sql<string>`'[]'::text`
    : sql<string>`json_build_array(${sql.join(counts)})::text`;
}

/** Whether the tables of counts suffice: they know kinds and verdicts, not single events. */
function isCounted({ filter, succeeded, effects }: Counted): boolean {
  const { kinds: _kinds, verdict: _verdict, upTo: _upTo, ...others } = filter;
  const isPlain = Object.keys(others).length === 0;
  return isPlain && succeeded.length === 0 && effects.length === 0;
}

/** Counts the pruned events of a selection. Reads no event while none is pruned. */
async function countPruned(read: Session, all: RawBuilder<boolean>): Promise<number> {
  const row = await read.first(
    sql<{ events: number }>`
      select case when (select pruned_events from retention) = 0 then 0
        else (select count(*) from events where ${prunedAt} is not null and ${all}) end as events`,
  );
  return row?.events ?? 0;
}

/** Removes the names that have no such delivery of any event. */
async function withDeliveredNames(read: Session, selection: Counted): Promise<Counted> {
  const counts = await read.rows(
    sql<{ handler: string; status: string }>`
      select handler, status from delivery_counts group by handler, status having sum(deliveries) > 0`,
  );
  const succeeded = new Set(counts.flatMap((row) => (row.status === 'succeeded' ? [row.handler] : [])));
  const delivered = new Set(counts.map(({ handler }) => handler));
  return {
    ...selection,
    succeeded: selection.succeeded.filter((name) => succeeded.has(name)),
    effects: selection.effects.filter((name) => delivered.has(name)),
  };
}

/** Whether events of these kinds or wildcards may be counted under `OTHER_KINDS`. */
async function mayBeCountedTogether(read: Session, kinds: readonly string[] | undefined): Promise<boolean> {
  if (kinds?.every(isEventKind) === true) return false;
  const row = await read.first(
    sql`select from event_counts where kind = ${OTHER_KINDS} having sum(events) > 0`,
  );
  return row !== undefined;
}
