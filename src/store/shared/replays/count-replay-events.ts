/** Counts the events that a replay would select. */
import { sql, type RawBuilder } from 'kysely';
import { isEventKind } from '../../../contract/catalogue.ts';
import type { ReplaySelection, Replays } from '../../replays.ts';
import { classCondition, eventCondition } from '../events/event-conditions.ts';
import type { SharedConnection } from '../sql/connection.ts';
import type { Condition, Dialect } from '../sql/dialect.ts';
import type { SqlReads } from '../sql/statements.ts';
import { OTHER_KINDS } from '../statistics/count-classes.ts';
import type { OwnNumbers } from '../statistics/read-statistics.ts';
import { traitsSql } from './replay-events.ts';
import { NO_NAMES, traitsCount, type TraitsCount } from './replay-traits.ts';

type Counted = Parameters<Replays['countReplayEvents']>[0];

/** Counts the events of a replay: from the tables of counts if they suffice, else event by event. */
export function createCountReplayEvents(
  connection: SharedConnection,
  { countSubjects }: Pick<OwnNumbers, 'countSubjects'>,
): Pick<Replays, 'countReplayEvents'> {
  const { read, dialect, ids } = connection;

  /** Returns the number of the last event that the selection can include, and whether it is the newest. */
  async function lastOf({ filter: { upTo } }: ReplaySelection): Promise<{ last: number; isNewest: boolean }> {
    const row = await read.first(sql<{ id: number | null }>`select max(id) as id from events`);
    const newest = row?.id ?? 0;
    const last = upTo === undefined ? newest : (ids.eventRow(upTo) ?? 0);
    return { last, isNewest: last >= newest };
  }

  return {
    async countReplayEvents(selection) {
      const { kinds, verdict } = selection.filter;
      const { last, isNewest } = await lastOf(selection);
      const all = sql<boolean>`events.id <= ${last} and ${eventCondition(selection.filter, connection)}`;
      const chosen = sql<boolean>`not ${dialect.isPruned} and ${all}`;
      const pruned = await countPruned(read, sql`${dialect.isPruned} and ${all}`);
      const narrowed = await withDeliveredNames(read, selection);
      const fromTables = pruned === 0 && isCounted(narrowed) && !(await mayBeCountedTogether(read, kinds));
      const groups = await read.rows(
        fromTables ? fromCounts(narrowed, last, dialect) : fromEvents(narrowed, chosen, connection),
      );
      // Every subject has an event, so the subjects of all events are all subjects.
      const isEverything = fromTables && isNewest && kinds === undefined && verdict === undefined;
      return {
        groups: groups.map((row) => traitsCount(row, narrowed.effects, selection.effects, ids)),
        subjects: isEverything ? await countSubjects() : await subjectsOf(read, chosen),
        pruned,
      };
    },
  };
}

/** Counts all events minus those after `last`, in one statement, so that both are of one moment. */
function fromCounts({ filter }: Counted, last: number, dialect: Dialect): RawBuilder<TraitsCount> {
  const none = sql.lit(NO_NAMES);
  return sql<TraitsCount>`
    select kind, recognized, verdict, ${none} as succeeded, ${none} as in_status, ${none} as overtaken,
      sum(events) as events, null as first, ${none} as effects
    from (
      select kind, recognized, verdict, events from event_counts
      -- Such events may have arrived since the check.
      where kind <> ${OTHER_KINDS}
      union all
      select kind, recognized, verdict, -count(*) from events where id > ${last} group by 1, 2, 3
    ) as events
    where ${classCondition(filter, dialect)}
    group by kind, recognized, verdict
    having sum(events) > 0`;
}

function fromEvents(
  selection: Counted,
  chosen: Condition,
  connection: SharedConnection,
): RawBuilder<TraitsCount> {
  const traits = traitsSql(selection, chosen, connection);
  return sql<TraitsCount>`
    select ${traits.grouped}, count(*) as events, min(id) as first,
      ${effectCounts(selection.effects, connection.dialect)} as effects
    from (select events.id, ${traits.columns} from ${traits.from}) as events
    group by ${traits.by}`;
}

async function subjectsOf(read: SqlReads, chosen: Condition): Promise<number> {
  const row = await read.first(
    sql<{ subjects: number }>`
      select count(*) as subjects from (select distinct subject_id from events where ${chosen}) as chosen`,
  );
  return row?.subjects ?? 0;
}

/** Sums over the events of a group: a JSON array of two numbers for each name. */
function effectCounts(names: readonly string[], dialect: Dialect): RawBuilder<string> {
  const counts = names.flatMap((name) => {
    const distinct = sql`select count(distinct effect) from deliveries where event_id = events.id and handler = ${name}`;
    return [sql`sum((${distinct}))`, sql`sum((${distinct} and status = 'succeeded'))`];
  });
  return dialect.jsonArray(counts);
}

/** Whether the tables of counts suffice: they know kinds and verdicts, not single events. */
function isCounted({ filter, succeeded, overtaken = [], effects }: Counted): boolean {
  const { kinds: _kinds, verdict: _verdict, upTo: _upTo, ...others } = filter;
  const isPlain = Object.keys(others).length === 0;
  return isPlain && [succeeded, overtaken, effects].every((names) => names.length === 0);
}

/** Counts the pruned events of a selection. Reads no event while none is pruned. */
async function countPruned(read: SqlReads, selected: Condition): Promise<number> {
  const row = await read.first(
    sql<{ events: number }>`
      select case when (select pruned_events from retention) = 0 then 0
        else (select count(*) from events where ${selected}) end as events`,
  );
  return row?.events ?? 0;
}

/** Removes the names that have no such delivery of any event. */
async function withDeliveredNames(read: SqlReads, selection: Counted): Promise<Counted> {
  const counts = await read.rows(
    sql<{ handler: string; status: string }>`
      select handler, status from delivery_counts group by handler, status having sum(deliveries) > 0`,
  );
  const succeeded = new Set(counts.flatMap((row) => (row.status === 'succeeded' ? [row.handler] : [])));
  const delivered = new Set(counts.map(({ handler }) => handler));
  return {
    ...selection,
    succeeded: selection.succeeded.filter((name) => succeeded.has(name)),
    overtaken: (selection.overtaken ?? []).filter((name) => delivered.has(name)),
    effects: selection.effects.filter((name) => delivered.has(name)),
  };
}

/** Whether events of these kinds or wildcards may be counted under `OTHER_KINDS`. */
async function mayBeCountedTogether(read: SqlReads, kinds: readonly string[] | undefined): Promise<boolean> {
  if (kinds?.every(isEventKind) === true) return false;
  const row = await read.first(
    sql<{
      events: number | null;
    }>`select sum(events) as events from event_counts where kind = ${OTHER_KINDS}`,
  );
  return (row?.events ?? 0) > 0;
}
