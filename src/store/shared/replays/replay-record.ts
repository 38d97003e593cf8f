/** Replays as rows, and their progress. */
import type { Selectable } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import type { EventFilter } from '../../queries.ts';
import type { ReplayDeliveries, ReplayProgress, ReplayRecord, ReplayStatus } from '../../replays.ts';
import type { Route } from '../../route.ts';
import { rowId } from '../ids.ts';
import type { DatabaseSchema } from '../tables.ts';

export const NO_PROGRESS: ReplayProgress = { pending: 0, running: 0, succeeded: 0, dead: 0, skipped: 0 };

export function replayRecord(row: Selectable<DatabaseSchema['replays']>): ReplayRecord {
  return {
    id: rowId('r', row.id),
    createdAt: row.created_at,
    filter: JSON.parse(row.filter) as EventFilter,
    handlers: JSON.parse(row.handlers) as string[],
    ifNotSucceeded: row.if_not_succeeded === 1,
    target: row.target,
    status: row.status as ReplayStatus,
    cursor: row.cursor,
  };
}

export function noReplay(id: string): PortariaError {
  return new PortariaError('not-found', `there is no replay ${id}`);
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
