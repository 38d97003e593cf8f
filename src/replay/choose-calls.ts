import type { EventRecord } from '../event/stored-event.ts';
import type { Registry } from '../handle/registry.ts';
import type { Replays } from '../store/replays.ts';
import type { Route } from '../store/route.ts';

export interface CallRules {
  /** Names of handlers and machines. */
  readonly handlers: readonly string[];
  /** Leave out what a handler already finished well. */
  readonly ifNotSucceeded: boolean;
}

/**
 * What a replay does with an event for a handler.
 *
 * - `call`: it will be handled again.
 * - `stale`: the handler does not take stale events, now as when it arrived.
 * - `succeeded`: finished well before, and that is to be left alone.
 */
export type Decision = 'call' | 'stale' | 'succeeded';

export interface Choice {
  readonly event: EventRecord;
  readonly route: Route;
  readonly decision: Decision;
  /** Whether it was finished well before, whatever the decision. */
  readonly succeededBefore: boolean;
}

/** Decides for each event and each of the handlers that take its kind. The plan and the run share it. */
export async function chooseCalls(
  { store, registry }: { readonly store: Pick<Replays, 'succeededFor'>; readonly registry: Registry },
  events: readonly EventRecord[],
  { handlers, ifNotSucceeded }: CallRules,
): Promise<readonly Choice[]> {
  const wanted = new Set(handlers);
  const pairs = events.flatMap((event) =>
    registry
      .routesFor(event)
      .filter((route) => wanted.has(route.handler))
      .map((route) => ({ event, route })),
  );

  const succeeded = new Map<string, ReadonlySet<string>>();
  for (const handler of wanted) {
    const taken = pairs.filter(({ route }) => route.handler === handler).map(({ event }) => event.id);
    if (taken.length > 0) succeeded.set(handler, await store.succeededFor(handler, taken));
  }

  return pairs.map(({ event, route }) => {
    const succeededBefore = succeeded.get(route.handler)?.has(event.id) ?? false;
    const decision =
      event.verdict === 'stale' && !route.stale
        ? 'stale'
        : succeededBefore && ifNotSucceeded
          ? 'succeeded'
          : 'call';
    return { event, route, decision, succeededBefore };
  });
}
