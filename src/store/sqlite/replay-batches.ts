import { PortariaError } from '../../kernel/errors.ts';
import type { ReplayDelivery } from '../replays.ts';
import type { Route } from '../route.ts';
import type { Ids } from './ids.ts';

/** Deliveries of a replay that one handler gets. */
export interface ReplayBatch {
  readonly route: Route;
  /** Numbers of events, in the order of their lanes: a JSON list, which travels as it is and is read by SQLite. */
  readonly events: string;
  /** How many these are. */
  readonly count: number;
}

/**
 * The deliveries by handler. Those of different handlers may change places,
 * because they share no lane.
 *
 * @throws PortariaError `not-found` when an id is none of this store's.
 */
export function replayBatches(deliveries: readonly ReplayDelivery[], ids: Ids): readonly ReplayBatch[] {
  const batches = new Map<string, { readonly route: Route; readonly events: number[] }>();
  /** The lists of those batches, by each object that stands for a route: most events bring the same one. */
  const lists = new Map<Route, number[]>();

  function listOf(route: Route): number[] {
    const key = `${route.handler} ${route.order} ${String(route.stale)}`;
    const batch = batches.get(key) ?? { route, events: [] };
    batches.set(key, batch);
    lists.set(route, batch.events);
    return batch.events;
  }

  for (const { eventId, route } of deliveries) {
    const event = ids.eventRow(eventId);
    if (event === undefined) throw new PortariaError('not-found', `there is no event ${eventId}`);
    (lists.get(route) ?? listOf(route)).push(event);
  }
  return [...batches.values()].map(({ route, events }) => ({
    route,
    events: JSON.stringify(events),
    count: events.length,
  }));
}
