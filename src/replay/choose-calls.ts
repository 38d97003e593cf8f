import { effectsName } from '../handle/define/machine.ts';
import type { Registry } from '../handle/load/registry.ts';
import type { EventFilter } from '../store/queries.ts';
import type { ReplaySelection, ReplayTraits } from '../store/replays.ts';
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
  readonly filter: EventFilter;
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
  readonly route: Route;
  readonly decision: Decision;
  /** Whether it was finished well before, whatever the decision. */
  readonly succeededBefore: boolean;
}

/** Decides for an event and each of the handlers that take its kind. */
export type ChooseCalls = (event: ReplayTraits) => readonly Choice[];

/** The rules as a function, which the plan and the run share. */
export function createChooseCalls(
  registry: Registry,
  { handlers, ifNotSucceeded, filter: { status } }: CallRules,
): ChooseCalls {
  const wanted = new Set(handlers);
  const isSelected = ({ inStatus }: ReplayTraits, { handler }: Route): boolean =>
    status === undefined || inStatus.includes(handler) || inStatus.includes(effectsName(handler));

  return (event) =>
    registry
      .routesFor(event)
      .filter((route) => wanted.has(route.handler) && isSelected(event, route))
      .map((route) => {
        const succeededBefore = event.succeeded.includes(route.handler);
        const isStale = event.verdict === 'stale' && !route.stale;
        const decision = isStale ? 'stale' : succeededBefore && ifNotSucceeded ? 'succeeded' : 'call';
        return { route, decision, succeededBefore };
      });
}

/** What has to be known of events to choose by these rules. */
export function selectionFor({ handlers, ifNotSucceeded, filter }: CallRules): ReplaySelection {
  return {
    filter,
    succeeded: ifNotSucceeded ? handlers : [],
    inStatus: filter.status === undefined ? [] : handlers.flatMap((name) => [name, effectsName(name)]),
  };
}
