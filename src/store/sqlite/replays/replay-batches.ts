import type { ReplayDeliveries } from '../../replays.ts';
import type { Route } from '../../route.ts';

/** Deliveries of a replay that one handler gets. */
export interface ReplayBatch {
  readonly route: Route;
  /** Numbers of events, in the order of their lanes: a JSON list, which travels as it is and is read by SQLite. */
  readonly events: string;
  /** How many these are. */
  readonly count: number;
}

/**
 * The deliveries by handler, in the order in which the events arrived. Those of
 * different handlers may change places, because they share no lane.
 */
export function replayBatches(deliveries: readonly ReplayDeliveries[]): readonly ReplayBatch[] {
  const batches = new Map<string, { readonly route: Route; readonly lists: (readonly number[])[] }>();
  for (const { route, events } of deliveries) {
    const key = `${route.handler} ${route.order} ${String(route.stale)}`;
    const batch = batches.get(key) ?? { route, lists: [] };
    batch.lists.push(events);
    batches.set(key, batch);
  }
  return [...batches.values()].map(({ route, lists }) => {
    const events = lists.flat().sort((one, other) => one - other);
    return { route, events: JSON.stringify(events), count: events.length };
  });
}
