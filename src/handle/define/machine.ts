/** `defineMachine`: a state for each subject, computed from its events, and the effects of its changes. */
import { kindsMatching } from '../../contract/event-pattern.ts';
import type { EventKind } from '../../contract/catalogue.ts';
import type { StoredEvent } from '../../event/stored-event.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import { checkMachine } from './check-definition.ts';
import type { HandlerContext } from './handler-context.ts';
import type { EventFor, TypedEvent } from './handler-event.ts';
import { definitionMark } from './marks.ts';
import { patternList, type Matching, type PatternList, type Patterns, type PatternsIn } from './patterns.ts';
import { resolvePolicies, type Policies, type PolicyOptions } from './policies.ts';
import type { Limited, RateOption } from './rate.ts';
import { toJson } from './to-json.ts';
import {
  transactional,
  type InTransaction,
  type Transactional,
  type TransactionOptions,
} from './transaction.ts';
import type { TransitionTable } from './transition-table.ts';

/** The argument of `defineMachine`. */
export interface MachineDefinition<P extends Patterns, S, Tx = never>
  extends PolicyOptions, TransactionOptions<Tx> {
  /** Unique in the process: lower-case letters, digits and dashes. States are stored under this name. */
  readonly name: string;
  /** Kinds and wildcards. A machine receives stale events too, but only kinds of the contract. */
  readonly on: P & Matching<NoInfer<P>>;
  /** The state before the first event. A state is JSON: plain objects, lists, strings, finite numbers, … */
  readonly initial: S;
  /** Returns the state after the event. Must be pure. */
  evolve(state: S, event: EventFor<PatternsIn<P>>): NoInfer<S>;
  /** Describes what is impossible about a change. Must be pure. Anomalies are recorded; the change still applies. */
  anomalies?(change: MachineChange<NoInfer<S>, EventFor<PatternsIn<P>>>): readonly string[];
  readonly effects?: EffectDefinitions<NoInfer<S>, EventFor<PatternsIn<P>>, NoInfer<Tx>>;
  /** How often effects are run, in all processes together: those beyond it wait. */
  readonly rate?: RateOption<EventFor<PatternsIn<P>>>;
  /** The machine's moves as data, for diagrams. */
  readonly table?: TransitionTable | null;
}

/** What one event of type `E` did to a state of type `S`. */
export interface MachineChange<S, E> {
  readonly before: S;
  readonly after: S;
  readonly event: E;
}

/** A change as an effect's `run` receives it. */
export interface EffectChange<S, E> extends MachineChange<S, E> {
  /** True when newer events of the subject were already folded before this change became known. */
  readonly late: boolean;
}

/** An action that some changes of a machine require. */
export interface EffectDefinition<S, E, Tx = never> {
  /** Reports whether the change requires the effect. Must be pure. */
  when(change: MachineChange<S, E>): boolean;
  /** Performs the effect. It is retried, and becomes a dead letter, like a handler's delivery. */
  run(change: EffectChange<S, E>, context: InTransaction<HandlerContext, Tx>): unknown;
}

/** Effects by name. Deliveries are stored under these names. An undefined effect is ignored. */
export type EffectDefinitions<S, E, Tx = never> = Readonly<
  Record<string, EffectDefinition<S, E, Tx> | undefined>
>;

/** A machine as the dispatcher runs it: every default is filled in, and types are erased. */
export interface Machine extends Policies, PatternList, Transactional, Limited {
  readonly type: 'machine';
  readonly name: string;
  /** The kinds that `on` matches in the contract of the process; the registry sets it. */
  readonly kinds?: readonly string[];
  /** The state before the first event. */
  readonly initial: JsonValue;
  evolve(state: JsonValue, event: StoredEvent | TypedEvent<EventKind>): JsonValue;
  /** Describes what is impossible about the change; empty when nothing is. */
  anomalies(change: Change): readonly string[];
  readonly effects: readonly Effect[];
  /** The machine's moves as data; null when it has no table. */
  readonly table: TransitionTable | null;
}

/** What one event did to a machine's state, with types erased. */
export type Change = MachineChange<JsonValue, StoredEvent>;

/** An effect with its types erased. */
export interface Effect extends EffectDefinition<JsonValue, StoredEvent> {
  readonly name: string;
}

/**
 * Defines a state machine that keeps one state per subject: `evolve` computes
 * the state after an event, `effects` act on the change. The final state does
 * not depend on the order in which events arrive: a late event makes the
 * machine fold all events of its subject again. A handlers file exports the result:
 *
 * ```ts
 * export default defineMachine({
 *   name: 'charge-status',
 *   on: 'charge.*',
 *   initial: { status: 'none' },
 *   evolve: (_state, { data }) => ({ status: data.status ?? 'none' }),
 *   effects: {
 *     paid: {
 *       when: ({ before, after }) => before.status !== 'paid' && after.status === 'paid',
 *       run: ({ event }, { idempotencyKey }) => bookPayment(event.data.id, idempotencyKey),
 *     },
 *   },
 * });
 * ```
 *
 * @throws PortariaError `handler-invalid`; its message lists every mistake in the definition.
 */
export function defineMachine<const P extends Patterns, S, Tx = never>(
  definition: MachineDefinition<P, S, Tx>,
): Machine {
  checkMachine(definition);
  // The registry only routes events that match `on`, so the erased types hold.
  const erased = definition as unknown as ErasedDefinition;
  const machine: Machine = {
    type: 'machine',
    name: definition.name,
    ...patternList(definition.on),
    ...resolvePolicies(definition),
    initial: toJson(definition.initial, 'initial'),
    evolve: (state, event) => erased.evolve(state, event),
    anomalies: (change) => erased.anomalies?.(change) ?? [],
    effects: Object.entries(erased.effects ?? {}).flatMap(([name, effect]) =>
      effect === undefined ? [] : [namedEffect(name, effect)],
    ),
    ...transactional(definition),
    rate: definition.rate as Limited['rate'],
    table: definition.table ?? null,
  };
  return Object.assign(machine, { [definitionMark]: true });
}

/** Suffix of the handler name of a machine's effects: `<machine>/effects`. */
const EFFECTS = '/effects';

/** Returns the handler name that deliveries of a machine's effects have. */
export function effectsName(machine: string): string {
  return `${machine}${EFFECTS}`;
}

/** Returns the machine whose effects have this handler name; any other name unchanged. */
export function machineOf(handler: string): string {
  return handler.endsWith(EFFECTS) ? handler.slice(0, -EFFECTS.length) : handler;
}

/** The kinds of the contract that match a machine's `on`; those of the specification outside a registry. */
export function recognizedKinds(machine: Machine): readonly string[] {
  return machine.kinds ?? [...new Set(machine.on.flatMap(kindsMatching))];
}

interface ErasedDefinition {
  evolve: Machine['evolve'];
  anomalies?: Machine['anomalies'];
  readonly effects?: EffectDefinitions<JsonValue, StoredEvent>;
}

function namedEffect(name: string, effect: EffectDefinition<JsonValue, StoredEvent>): Effect {
  return {
    name,
    when: (change) => effect.when(change),
    run: (change, context) => effect.run(change, context),
  };
}
