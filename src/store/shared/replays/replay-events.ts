/** The events that a replay selects, and the lists of handlers by which it groups them. */
import { sql, type RawBuilder } from 'kysely';
import type { DeliveryStatus, EventFilter } from '../../queries.ts';
import type { Replays, ReplaySelection, ReplayDeliveries } from '../../replays.ts';
import { eventCondition } from '../events/event-conditions.ts';
import type { SharedConnection } from '../sql/connection.ts';
import type { Condition, Dialect } from '../sql/dialect.ts';
import { BEFORE_NEW, selectOvertaken } from '../deliveries/overtaken.ts';
import { NO_NAMES, traitsOf, type TraitsRow } from './replay-traits.ts';
import type { Route } from '../../route.ts';

/** SQL by which events are grouped by their traits. */
export interface TraitsSql {
  /** What to select of `events`. */
  readonly columns: RawBuilder<unknown>;
  /** What to select of a group of these: a {@link TraitsRow}. */
  readonly grouped: RawBuilder<unknown>;
  /** What to group by. Lists that are empty for every event would be compared for nothing. */
  readonly by: RawBuilder<unknown>;
  /** What to select from, under the name `events`: what was given. */
  readonly from: RawBuilder<unknown>;
}

/**
 * The traits of a selection: which handlers succeeded, which have a delivery in the filter's status, and for which
 * handlers the events are overtaken.
 *
 * @param chosen which events, and how many
 */
export function traitsSql(
  { filter, succeeded, inStatus, overtaken = [], runsSucceeded = false }: ReplaySelection,
  chosen: RawBuilder<unknown>,
  connection: Pick<SharedConnection, 'dialect' | 'ids'>,
): TraitsSql {
  const { dialect } = connection;
  const lists = [
    { column: 'succeeded', status: 'succeeded' as DeliveryStatus | undefined, names: succeeded },
    { column: 'in_status', status: filter.status, names: inStatus },
  ];
  const columns: RawBuilder<unknown>[] = [sql`kind, recognized, verdict`];
  const grouped: RawBuilder<unknown>[] = [sql`kind, recognized, verdict`];
  const by: RawBuilder<unknown>[] = [sql`kind, recognized, verdict`];
  for (const { column, status, names } of lists) {
    const name = sql.ref(column);
    if (status === undefined || names.length === 0) {
      grouped.push(sql`${sql.lit(NO_NAMES)} as ${name}`);
      continue;
    }
    // By the index, in its order, so that equal lists group.
    const found = sql`
      select distinct handler from deliveries
      where event_id = events.id and status = ${status} and ${dialect.isAnyOf('handler', names, 'text')}
      order by handler`;
    columns.push(sql`${dialect.listOf('handler', found)} as ${name}`);
    grouped.push(sql`${dialect.listAsJson(column)} as ${name}`);
    by.push(name);
  }
  let from = sql`(select id, kind, recognized, verdict, subject_id, version, received_at from events where ${chosen}) as events`;
  if (overtaken.length === 0) grouped.push(sql`${sql.lit(NO_NAMES)} as overtaken`);
  else {
    const again = runsSucceeded ? runsAgain(filter, connection) : undefined;
    from = sql`${from} left join (${overtakenLists(from, overtaken, again, dialect)}) as later on later.item = events.id`;
    columns.push(sql`coalesce(later.handlers, ${sql.lit(NO_NAMES)}) as overtaken`);
    grouped.push(sql`overtaken`);
    by.push(sql`overtaken`);
  }
  return { columns: sql.join(columns), grouped: sql.join(grouped), by: sql.join(by), from };
}

/** The condition that an event with which a handler of a lane has succeeded runs again. */
function runsAgain(
  { status, ...filter }: EventFilter,
  connection: Pick<SharedConnection, 'dialect' | 'ids'>,
): Condition {
  const selected = sql<boolean>`not ${connection.dialect.isPruned} and ${eventCondition(filter, connection)}`;
  if (status === undefined) return selected;
  return sql`${selected} and exists (
    select 1 from deliveries where event_id = events.id and handler = lane.handler and status = ${status})`;
}

/**
 * The handlers that overtake each event, in order, so that equal lists group.
 *
 * @param again which later events run again, if any: a replay takes events in the order of their numbers, in which a
 *   released one comes after those that arrived later
 */
function overtakenLists(
  events: RawBuilder<unknown>,
  handlers: readonly string[],
  again: Condition | undefined,
  dialect: Dialect,
): RawBuilder<unknown> {
  const items = sql`
    select events.id as item, wanted.handler, events.subject_id, events.version, events.received_at,
      events.id as event_id
    from ${events}
    cross join ${dialect.tableOf('wanted', handlers, { handler: ['text', (handler) => handler] })}`;
  const found =
    again === undefined
      ? selectOvertaken(items, BEFORE_NEW)
      : sql`
          select item, handler from (${selectOvertaken(items, BEFORE_NEW, sql`not (${again})`)}) as passed union
          select item, handler from (${selectOvertaken(items, BEFORE_NEW, again, sql`later.id < item.event_id`)}) as repeated
          order by 1, 2`;
  return sql`select item, ${dialect.groupAsJson('handler')} as handlers from (${found}) as found group by item`;
}

/** Reads the events of a replay page by page, grouped by their traits. */
export function createReadReplayEvents(connection: SharedConnection): Pick<Replays, 'replayEvents'> {
  const { read, dialect, ids } = connection;
  return {
    async replayEvents(selection, { after, limit }) {
      const from = after === null ? 0 : ids.eventRow(after);
      if (from === undefined) return [];
      const page = sql`
        not ${dialect.isPruned} and events.id > ${from} and ${eventCondition(selection.filter, connection)}
        order by events.id limit ${limit}`;
      const traits = traitsSql(selection, page, connection);
      // The database groups a page faster than its rows are returned.
      const groups = await read.rows(
        sql<TraitsRow & { readonly events: string }>`
          with page as materialized (
            select events.id, ${traits.columns} from ${traits.from}
          )
          select ${traits.grouped}, ${dialect.groupAsJson('id')} as events from page group by ${traits.by}`,
      );
      return groups.map((row) => ({ traits: traitsOf(row), events: JSON.parse(row.events) as number[] }));
    },
  };
}

/**
 * Groups deliveries by handler, each group in the order in which its events
 * arrived. Handlers share no lane, so their relative order does not matter.
 */
export function replayGroups(deliveries: readonly ReplayDeliveries[]): readonly ReplayDeliveries[] {
  const groups = new Map<string, { readonly route: Route; readonly lists: (readonly number[])[] }>();
  for (const { route, events } of deliveries) {
    const key = `${route.handler} ${route.order} ${String(route.stale)}`;
    const group = groups.get(key) ?? { route, lists: [] };
    group.lists.push(events);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ route, lists }) => ({
    route,
    events: lists.flat().sort((one, other) => one - other),
  }));
}
