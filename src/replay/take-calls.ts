/** Reads the next calls of a replay. */
import type { Registry } from '../handle/load/registry.ts';
import type { ReplayRequest, Replays, ReplayTraits } from '../store/replays.ts';
import type { Route } from '../store/route.ts';
import { createChooseCalls, selectionFor } from './choose-calls.ts';
import { takeEvents, type TakenEvents } from './take-events.ts';

/** Events read at a time, at least: with a low rate, few of them are taken. */
const MIN_PAGE = 100;

/** Returns the calls that come next, oldest events first: `limit` at most, but all of one event; null when none is left. */
export type TakeCalls = (after: string | null, limit: number) => Promise<TakenEvents | null>;

export function createTakeCalls(
  { store, registry }: { readonly store: Pick<Replays, 'replayEvents'>; readonly registry: Registry },
  request: ReplayRequest,
): TakeCalls {
  const choose = createChooseCalls(registry, request);
  const selection = selectionFor(registry, request);
  const routesOf = (traits: ReplayTraits): readonly Route[] =>
    choose(traits).flatMap(({ route, decision }) => (decision === 'call' ? [route] : []));
  return async (after, limit) => {
    const read = await store.replayEvents(selection, { after, limit: Math.max(MIN_PAGE, limit) });
    if (read.length === 0) return null;
    return takeEvents(
      read.map(({ traits, events }) => ({ events, routes: routesOf(traits) })),
      limit,
    );
  };
}
