import { sql } from 'kysely';
import type { Replays, ReplaySelection } from '../../replays.ts';
import type { Connection } from '../sql/connection.ts';
import { rowsNow } from '../sql/run-now.ts';
import {
  deliveredNames,
  selectedEvents,
  traitColumns,
  traitsOf,
  type TraitsRow,
} from './replay-selection.ts';

/** The events that a replay is about, page by page. */
export function createReadReplayEvents(connection: Connection): Replays['replayEvents'] {
  const { database, query } = connection;
  return async (selection, { after, limit }) => {
    const page = selectedEvents(connection, selection, after)
      ?.select('events.id')
      .select(traitColumns)
      .select(deliveredNames(selection))
      .orderBy('events.id')
      .limit(limit);
    if (page === undefined) return [];
    // SQLite groups a page in less time than the binding takes to hand over its rows.
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

/** Without lists that are the same for every event: those would be compared in vain. */
function groupedBy({ succeeded, inStatus }: ReplaySelection) {
  return [
    'kind',
    'recognized',
    'verdict',
    ...(succeeded.length > 0 ? (['succeeded'] as const) : []),
    ...(inStatus.length > 0 ? (['in_status'] as const) : []),
  ] as const;
}
