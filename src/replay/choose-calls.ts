import type { EventRecord } from '../event/stored-event.ts';
import { effectsName } from '../handle/effects-name.ts';
import type { Registry } from '../handle/registry.ts';
import type { EventFilter } from '../store/queries.ts';
import type { Replays } from '../store/replays.ts';
import type { Route } from '../store/route.ts';

export interface CallRules {
  /** Names of handlers and machines. */
  readonly handlers: readonly string[];
  /** Leave out what a handler already finished well. */
  readonly ifNotSucceeded: boolean;
  /**
   * With a status, an event goes only to those that have a delivery of it in
   * that status: handlers their own, machines their fold or one of their effects.
   */
  readonly filter: Pick<EventFilter, 'status'>;
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
  { store, registry }: { readonly store: Pick<Replays, 'eventsInStatus'>; readonly registry: Registry },
  events: readonly EventRecord[],
  { handlers, ifNotSucceeded, filter: { status } }: CallRules,
): Promise<readonly Choice[]> {
  const wanted = new Set(handlers);
  const pairs = events.flatMap((event) =>
    registry
      .routesFor(event)
      .filter((route) => wanted.has(route.handler))
      .map((route) => ({ event, route })),
  );

  const succeeded = new Map<string, ReadonlySet<string>>();
  const selected = new Map<string, ReadonlySet<string>>();
  for (const handler of wanted) {
    const taken = pairs.filter(({ route }) => route.handler === handler).map(({ event }) => event.id);
    if (taken.length === 0) continue;
    succeeded.set(handler, await store.eventsInStatus([handler], 'succeeded', taken));
    const names = [handler, effectsName(handler)];
    const chosen = status === undefined ? new Set(taken) : await store.eventsInStatus(names, status, taken);
    selected.set(handler, chosen);
  }

  return pairs
    .filter(({ event, route }) => selected.get(route.handler)?.has(event.id))
    .map(({ event, route }) => {
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
