/** The events that a replay selects, and the lists of handlers by which it groups them. */
import { sql, type RawBuilder } from 'kysely';
import type { DeliveryStatus } from '../../queries.ts';
import type { Replays, ReplaySelection } from '../../replays.ts';
import { eventCondition } from '../events/event-conditions.ts';
import type { SharedConnection } from '../sql/connection.ts';
import type { Dialect } from '../sql/dialect.ts';
import { NO_NAMES, traitsOf, type TraitsRow } from './replay-traits.ts';

/** SQL by which events are grouped by their traits. */
export interface TraitsSql {
  /** What to select of `events`. */
  readonly columns: RawBuilder<unknown>;
  /** What to select of a group of these: a {@link TraitsRow}. */
  readonly grouped: RawBuilder<unknown>;
  /** What to group by. Lists that are empty for every event would be compared for nothing. */
  readonly by: RawBuilder<unknown>;
}

/** The traits of a selection: which handlers succeeded, and which have a delivery in the filter's status. */
export function traitsSql(
  { filter, succeeded, inStatus }: Pick<ReplaySelection, 'filter' | 'succeeded' | 'inStatus'>,
  dialect: Dialect,
): TraitsSql {
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
  return { columns: sql.join(columns), grouped: sql.join(grouped), by: sql.join(by) };
}

/** Reads the events of a replay page by page, grouped by their traits. */
export function createReadReplayEvents(connection: SharedConnection): Pick<Replays, 'replayEvents'> {
  const { read, dialect, ids } = connection;
  return {
    async replayEvents(selection, { after, limit }) {
      const from = after === null ? 0 : ids.eventRow(after);
      if (from === undefined) return [];
      const traits = traitsSql(selection, dialect);
      // The database groups a page faster than its rows are returned.
      const groups = await read.rows(
        sql<TraitsRow & { readonly events: string }>`
          with page as materialized (
            select events.id, ${traits.columns} from events
            where not ${dialect.isPruned} and events.id > ${from} and ${eventCondition(selection.filter, connection)}
            order by events.id limit ${limit}
          )
          select ${traits.grouped}, ${dialect.groupAsJson('id')} as events from page group by ${traits.by}`,
      );
      return groups.map((row) => ({ traits: traitsOf(row), events: JSON.parse(row.events) as number[] }));
    },
  };
}
