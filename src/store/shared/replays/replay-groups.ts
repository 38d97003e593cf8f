/** Groups what a replay enqueues by handler. */
import type { ReplayDeliveries } from '../../replays.ts';
import type { Route } from '../../route.ts';

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
