import type { LaneOrder } from '../../store/route.ts';
import { checkHandler } from './check-definition.ts';
import { markDefinition } from './definition.ts';
import type { HandlerContext } from './handler-context.ts';
import type { HandlerEvent } from './handler-event.ts';
import type { Handler } from './handler.ts';
import { patternList } from './pattern-list.ts';
import type { Patterns, PatternsIn } from './pattern-list.ts';
import { resolvePolicies } from './policies.ts';
import type { PolicyOptions } from './policies.ts';

export interface HandlerDefinition<P extends Patterns> extends PolicyOptions {
  /** Unique in the process; lower-case letters, digits and dashes. Deliveries are stored under it. */
  readonly name: string;
  /**
   * A kind, a wildcard (`company.*`, `*`) or a list of them. A wildcard also
   * gets events that the contract does not know, with `recognized: false`.
   */
  readonly on: P;
  /** What waits for what: `subject` (default), `handler` or `none`. */
  readonly order?: LaneOrder;
  /** Whether it wants events older than what is known of their subject (false). */
  readonly stale?: boolean;
  /**
   * Returns (or resolves) when done. Anything thrown is tried again. Return or
   * throw `RetryLater(ms)`, `Discard(reason)` or `GiveUp(reason)` to say more.
   */
  handle(event: HandlerEvent<PatternsIn<P>>, context: HandlerContext): unknown;
}

/**
 * A handler of events, typed by `on`: `event.kind` narrows `event.data`.
 *
 * @throws PortariaError `handler-invalid` naming everything that is wrong with it.
 */
export function defineHandler<const P extends Patterns>(definition: HandlerDefinition<P>): Handler {
  checkHandler(definition);
  return markDefinition({
    type: 'handler',
    name: definition.name,
    on: patternList(definition.on),
    ...resolvePolicies(definition),
    order: definition.order ?? 'subject',
    stale: definition.stale ?? false,
    // The one place where types are erased: `on` decides at run time what they promised.
    handle: (event, context) => definition.handle(event as never, context),
  });
}
