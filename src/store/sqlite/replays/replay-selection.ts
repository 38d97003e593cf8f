/** The events that a replay selects. */
import { sql, type RawBuilder } from 'kysely';
import type { DeliveryStatus } from '../../queries.ts';
import type { Replays, ReplaySelection } from '../../replays.ts';
import { NO_NAMES, traitColumns, traitsOf, type TraitsRow } from '../../shared/replays/replay-traits.ts';
import { eventCondition } from '../../shared/events/event-conditions.ts';
import type { Connection } from '../sql/connection.ts';
import { anyOf } from '../sql/expressions.ts';
import { rowsNow } from '../sql/statement.ts';

/** Selects the events of a replay, without pruned ones. */
export function selectedEvents(connection: Connection, selection: ReplaySelection) {
  return matchingEvents(connection, selection).where('events.body', 'is not', null);
}

/** As `selectedEvents`, with pruned ones. */
export function matchingEvents({ query, dialect, ids }: Connection, { filter }: ReplaySelection) {
  return query.selectFrom('events').where(eventCondition(filter, { ids, dialect }));
}

/** Columns: the handlers that succeeded, and those with a delivery in the filter's status. */
export function deliveredNames({ filter: { status }, succeeded, inStatus }: ReplaySelection) {
  return [
    namesWith('succeeded', succeeded).as('succeeded'),
    namesWith(status, inStatus).as('in_status'),
  ] as const;
}

/** The names with a delivery of the event in a status: a JSON array, sorted, so that equal ones group. */
function namesWith(status: DeliveryStatus | undefined, names: readonly string[]): RawBuilder<string> {
  if (status === undefined || names.length === 0) return sql<string>`${sql.lit(NO_NAMES)}`;
  return sql<string>`(select json_group_array(handler) from (
    select distinct handler from deliveries
    where event_id = events.id and status = ${status} and handler in ${anyOf(names)} order by handler))`;
}

/** Reads the events of a replay page by page, grouped by their traits. */
export function createReadReplayEvents(connection: Connection): Replays['replayEvents'] {
  const { database, query, ids } = connection;
  return async (selection, { after, limit }) => {
    const from = after === null ? 0 : ids.eventRow(after);
    if (from === undefined) return [];
    const page = selectedEvents(connection, selection)
      .where('events.id', '>', from)
      .select('events.id')
      .select(traitColumns)
      .select(deliveredNames(selection))
      .orderBy('events.id')
      .limit(limit);
    // SQLite groups a page faster than the binding returns its rows.
    const groups = query
      .selectFrom(page.as('page'))
      .select(['kind', 'recognized', 'verdict', 'succeeded', 'in_status'])
      .select(sql<string>`json_group_array(id)`.as('events'))
      .groupBy(groupedBy(selection));
    return rowsNow<TraitsRow & { readonly events: string }>(database, groups).map((row) => ({
      traits: traitsOf(row),
      events: (JSON.parse(row.events) as number[]).sort((one, other) => one - other),
    }));
  };
}

/** Leaves out lists that are the same for every event, which would be compared for nothing. */
function groupedBy({ succeeded, inStatus }: ReplaySelection) {
  return [
    'kind',
    'recognized',
    'verdict',
    ...(succeeded.length > 0 ? (['succeeded'] as const) : []),
    ...(inStatus.length > 0 ? (['in_status'] as const) : []),
  ] as const;
}
