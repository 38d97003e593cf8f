/** `defineHandler`: a function that runs for events of some kinds. */
import type { EventKind } from '../../contract/catalogue.ts';
import type { StoredEvent } from '../../event/stored-event.ts';
import type { LatestPolicy } from '../../store/lane-queue.ts';
import type { LaneOrder } from '../../store/route.ts';
import { checkHandler } from './check-definition.ts';
import type { HandlerContext } from './handler-context.ts';
import type { HandlerEvent, OwnEvent, StrictEvent, TypedEvent } from './handler-event.ts';
import type { KindDefinition } from '../kinds/kind-definition.ts';
import { definitionMark } from './marks.ts';
import { patternList, type Matching, type PatternList, type Patterns, type PatternsIn } from './patterns.ts';
import { resolvePolicies, type Policies, type PolicyOptions } from './policies.ts';
import type { Limited, RateOption } from './rate.ts';
import {
  transactional,
  type InTransaction,
  type Transactional,
  type TransactionOptions,
} from './transaction.ts';

/** The argument of `defineHandler`. */
export interface HandlerDefinition<P extends Patterns, Tx = never, Strict extends boolean = false>
  extends PolicyOptions, TransactionOptions<Tx> {
  /** Unique in the process: lower-case letters, digits and dashes. Deliveries are stored under this name. */
  readonly name: string;
  /**
   * A kind (`company.created`), a wildcard (`company.*`, `*`), the result of
   * `defineKind`, or a list of them. A wildcard also matches kinds that the
   * contract does not contain; their events have `recognized: false`.
   */
  readonly on: P & Matching<NoInfer<P>>;
  /**
   * Which deliveries wait for each other: those of one subject (`subject`, the
   * default), all of this handler (`handler`), or none (`none`). `latest` is as
   * `subject`, and of those that wait only the newest runs: the others end as skipped.
   */
  readonly order?: LaneOrder | 'latest';
  /**
   * With `order: 'latest'`: the run waits until no event of the subject has come for so many milliseconds (default 0).
   */
  readonly quietMs?: number;
  /** With `quietMs`: milliseconds after the first event that waits, when the run begins all the same (default 10 × `quietMs`). */
  readonly maxWaitMs?: number;
  /** Whether the handler receives events older than the newest known event of their subject (default false). */
  readonly stale?: boolean;
  /**
   * Whether enumerations in `event.data` have the listed values only, so that the compiler finds a misspelled one. An
   * event with another value is a dead letter, to be retried when the contract lists it (default false).
   */
  readonly strictValues?: Strict;
  /** How often `handle` is called, in all processes together: deliveries beyond it wait. */
  readonly rate?: RateOption<HandlerEvent<PatternsIn<P>>>;
  /**
   * Processes one event. The delivery succeeds when the function returns, or when
   * its promise resolves. An error fails the attempt, and the retry policy applies.
   * Return or throw `RetryLater(ms)`, `Discard(reason)` or `GiveUp(reason)` for
   * another outcome.
   */
  handle(
    event: Strict extends true ? StrictEvent<HandlerEvent<PatternsIn<P>>> : HandlerEvent<PatternsIn<P>>,
    context: InTransaction<HandlerContext, NoInfer<Tx>>,
  ): unknown;
}

/** A handler as the dispatcher runs it: every default is filled in, and event types are erased. */
export interface Handler extends Policies, PatternList, Transactional, Limited {
  readonly type: 'handler';
  readonly name: string;
  readonly order: LaneOrder | 'latest';
  /** The waits of a handler with `order: 'latest'`. */
  readonly latest?: LatestPolicy | undefined;
  /** Whether the handler receives events older than the newest known event of their subject. */
  readonly stale: boolean;
  /** Whether it gives up on values that the contract does not list. */
  readonly strictValues?: boolean;
  handle(
    event: StoredEvent | TypedEvent<EventKind> | OwnEvent<KindDefinition>,
    context: HandlerContext,
  ): unknown;
}

/**
 * Defines a handler of events. A handlers file exports the result. `on` types
 * the events, and `event.kind` narrows `event.data`:
 *
 * ```ts
 * export default defineHandler({
 *   name: 'overdue-charges',
 *   on: ['charge.created', 'charge.updated'],
 *   async handle(event, { signal }) {
 *     if (event.data.status === 'overdue') await notifyFinance(event.data.id, { signal });
 *   },
 * });
 * ```
 *
 * @throws PortariaError `handler-invalid`; its message lists every mistake in the definition.
 */
export function defineHandler<const P extends Patterns, Tx = never, Strict extends boolean = false>(
  definition: HandlerDefinition<P, Tx, Strict>,
): Handler {
  checkHandler(definition);
  const { order = 'subject', quietMs = 0, maxWaitMs = 10 * quietMs } = definition;
  const handler: Handler = {
    type: 'handler',
    name: definition.name,
    ...patternList(definition.on),
    ...resolvePolicies(definition),
    order,
    ...(order === 'latest' && { latest: { quietMs, maxWaitMs } }),
    stale: definition.stale ?? false,
    strictValues: definition.strictValues ?? false,
    ...transactional(definition),
    rate: definition.rate as Limited['rate'],
    // The registry only routes events that match `on`, so the erased type holds.
    handle: (event, context) => definition.handle(event as never, context as never),
  };
  return Object.assign(handler, { [definitionMark]: true });
}

/** Which deliveries of a handler share a lane. */
export function laneOrder({ order }: Pick<Handler, 'order'>): LaneOrder {
  return order === 'latest' ? 'subject' : order;
}
