/** The events that a replay selects, as conditions in SQL. */
import { sql, type RawBuilder } from 'kysely';
import type { DeliveryStatus } from '../../queries.ts';
import type { Replays, ReplaySelection } from '../../replays.ts';
import { traitsOf, type TraitsRow } from '../../shared/replays/replay-traits.ts';
import { eventCondition } from '../../shared/events/event-conditions.ts';
import { prunedAt } from '../retention/pruned-at.ts';
import type { Connection } from '../sql/connection.ts';
import { postgresDialect } from '../sql/dialect.ts';
import { isAnyOf } from '../sql/expressions.ts';

/** Columns: the handlers that succeeded, and those with a delivery in the filter's status. */
export function deliveredNames({ filter: { status }, succeeded, inStatus }: ReplaySelection) {
  return sql`${namesWith('succeeded', succeeded)} as succeeded, ${namesWith(status, inStatus)} as in_status`;
}

/** The names with a delivery of the event in a status, sorted, so that equal ones group. */
function namesWith(status: DeliveryStatus | undefined, names: readonly string[]): RawBuilder<string> {
  if (status === undefined || names.length === 0) return sql<string>`'{}'::text[]`;
  // By the index, in its order. An aggregate would sort for each event.
  return sql<string>`array(
    select distinct handler from deliveries
    where event_id = events.id and status = ${status} and ${isAnyOf('handler', names, 'text')}
    order by handler)`;
}

/** Columns of {@link deliveredNames} as JSON, once for each group. */
export const namesAsJson = sql`
  array_to_json(succeeded)::text as succeeded, array_to_json(in_status)::text as in_status`;

/** Reads the events of a replay page by page, grouped by their traits. */
export function createReadReplayEvents({ read, ids }: Connection): Pick<Replays, 'replayEvents'> {
  return {
    async replayEvents(selection, { after, limit }) {
      const from = after === null ? 0 : ids.eventRow(after);
      if (from === undefined) return [];
      const matching = sql`events.id > ${from} and ${eventCondition(selection.filter, { ids, dialect: postgresDialect })}`;
      const groups = await read.rows(
        sql<TraitsRow & { readonly events: string }>`
          with page as materialized (
            select events.id, kind, recognized, verdict, ${deliveredNames(selection)} from events
            where ${prunedAt} is null and ${matching} order by events.id limit ${limit}
          )
          select kind, recognized, verdict, ${namesAsJson}, json_agg(id order by id)::text as events
          from page group by 1, 2, 3, 4, 5`,
      );
      return groups.map((row) => ({ traits: traitsOf(row), events: JSON.parse(row.events) as number[] }));
    },
  };
}
