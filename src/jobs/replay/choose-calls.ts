/** Which handlers a replay calls for which event. */
import { effectsName } from '../../handle/define/machine.ts';
import type { Registry } from '../../handle/load/registry.ts';
import type { EventFilter } from '../../store/queries.ts';
import type { ReplaySelection, ReplayTraits } from '../../store/replays.ts';
import type { Route } from '../../store/route.ts';

export interface CallRules {
  /** Names of handlers and machines. */
  readonly handlers: readonly string[];
  /** Skips events that a handler has already handled successfully. */
  readonly ifNotSucceeded: boolean;
  /** Calls handlers that take no stale events also where they handle a later one first. */
  readonly includeOvertaken?: boolean;
  /**
   * With a status, an event goes only to handlers with a delivery in that
   * status; to machines with a fold or an effect in it.
   */
  readonly filter: EventFilter;
}

/**
 * What a replay does with an event for a handler.
 *
 * - `call`: the handler gets it again.
 * - `stale`: the event was stale when it arrived, and the handler takes no stale events.
 * - `succeeded`: the handler has handled it successfully, and such events are skipped.
 * - `overtaken`: the handler wants only the newest event of a subject, and handles first a later one that does
 *   not run again.
 */
export type Decision = 'call' | 'stale' | 'succeeded' | 'overtaken';

export interface Choice {
  readonly route: Route;
  readonly decision: Decision;
  /** Whether the handler has handled it successfully before, for any decision. */
  readonly succeededBefore: boolean;
  /** Whether it handles a later event first, as far as the store was asked, for any decision. */
  readonly isOlder: boolean;
}

/** Decides about an event for each handler that takes its kind. */
export type ChooseCalls = (event: ReplayTraits) => readonly Choice[];

/** The plan and the run share these rules. */
export function createChooseCalls(
  registry: Registry,
  { handlers, ifNotSucceeded, includeOvertaken = false, filter: { status, source } }: CallRules,
): ChooseCalls {
  const leaving = new Set(includeOvertaken ? [] : registry.newestOnly);
  const wanted = new Set(handlers);
  const isSelected = ({ inStatus }: ReplayTraits, { handler }: Route): boolean =>
    status === undefined || inStatus.includes(handler) || inStatus.includes(effectsName(handler));

  return (event) =>
    registry
      .routesFor(event, source)
      .filter((route) => wanted.has(route.handler) && isSelected(event, route))
      .map((route) => {
        const succeededBefore = event.succeeded.includes(route.handler);
        const isOlder = event.overtaken.includes(route.handler);
        const isDone = succeededBefore && ifNotSucceeded;
        const isLeft = isOlder && leaving.has(route.handler);
        return { route, decision: decide(event, route, isDone, isLeft), succeededBefore, isOlder };
      });
}

function decide(
  { verdict }: ReplayTraits,
  { stale }: Route,
  isDone: boolean,
  isOvertaken: boolean,
): Decision {
  if (verdict === 'stale' && !stale) return 'stale';
  if (isDone) return 'succeeded';
  return isOvertaken ? 'overtaken' : 'call';
}

/** What the store must return about events for these rules. */
export function selectionFor(
  { newestOnly }: Pick<Registry, 'newestOnly'>,
  { handlers, ifNotSucceeded, includeOvertaken = false, filter }: CallRules,
): ReplaySelection {
  return {
    filter,
    succeeded: ifNotSucceeded ? handlers : [],
    inStatus: filter.status === undefined ? [] : handlers.flatMap((name) => [name, effectsName(name)]),
    runsSucceeded: !ifNotSucceeded,
    overtaken: includeOvertaken ? [] : newestOnly.filter((name) => handlers.includes(name)),
  };
}
