import { checkMachine } from './check-definition.ts';
import { markDefinition } from './definition.ts';
import type { EventOf } from '../fold/event-of.ts';
import type { HandlerContext } from './handler-context.ts';
import type { Effect, Machine } from './machine.ts';
import { patternList } from './pattern-list.ts';
import type { Patterns, PatternsIn } from './pattern-list.ts';
import { resolvePolicies } from './policies.ts';
import type { PolicyOptions } from './policies.ts';
import { toJson } from './to-json.ts';
import type { TransitionTable } from './transition-table.ts';

/** What one event did to the state `S`. */
export interface MachineChange<S, E> {
  readonly before: S;
  readonly after: S;
  readonly event: E;
}

/** A change as an effect gets it. */
export interface EffectChange<S, E> extends MachineChange<S, E> {
  /** That newer events of the subject were already known when this change came to light. */
  readonly late: boolean;
}

export interface EffectDefinition<S, E> {
  /** Pure: whether the change calls for this effect. */
  when(change: MachineChange<S, E>): boolean;
  /** Does it. Tried again, and dead in the end, like any handler. */
  run(change: EffectChange<S, E>, context: HandlerContext): unknown;
}

/** Effects by name. Deliveries are stored under the names. One that is undefined is none. */
export type EffectDefinitions<S, E> = Readonly<Record<string, EffectDefinition<S, E> | undefined>>;

export interface MachineDefinition<P extends Patterns, S> extends PolicyOptions {
  /** Unique in the process; lower-case letters, digits and dashes. States are stored under it. */
  readonly name: string;
  /** Kinds and wildcards. Machines get only events of the contract, stale ones too. */
  readonly on: P;
  /** The state before any event. States are JSON: plain objects, lists, texts, finite numbers, ... */
  readonly initial: S;
  /** Pure: the state after the event. */
  evolve(state: S, event: EventOf<PatternsIn<P>>): NoInfer<S>;
  /** Pure: what is impossible about a change. Recorded and shown; the change stands all the same. */
  anomalies?(change: MachineChange<NoInfer<S>, EventOf<PatternsIn<P>>>): readonly string[];
  readonly effects?: EffectDefinitions<NoInfer<S>, EventOf<PatternsIn<P>>>;
  /** The moves as data, for drawing. */
  readonly table?: TransitionTable | null;
}

/**
 * A state machine for each subject: `evolve` says what the state is after an
 * event, `effects` what to do about it. Whatever order the events of a subject
 * arrive in, the state ends the same: a late event folds the subject anew.
 *
 * @throws PortariaError `handler-invalid` naming everything that is wrong with it.
 */
export function defineMachine<const P extends Patterns, S>(definition: MachineDefinition<P, S>): Machine {
  checkMachine(definition);
  // The one place where types are erased: `on` and `initial` decide at run time what they promised.
  const typed = definition as unknown as ErasedDefinition;
  return markDefinition({
    type: 'machine',
    name: definition.name,
    on: patternList(definition.on),
    ...resolvePolicies(definition),
    initial: toJson(definition.initial, 'initial'),
    evolve: (state, event) => typed.evolve(state, event),
    anomalies: (change) => typed.anomalies?.(change) ?? [],
    effects: Object.entries(typed.effects ?? {}).flatMap(([name, effect]) =>
      effect === undefined ? [] : [named(name, effect)],
    ),
    table: definition.table ?? null,
  });
}

type ErasedEffect = Omit<Effect, 'name'>;

interface ErasedDefinition {
  evolve: Machine['evolve'];
  anomalies?: Machine['anomalies'];
  readonly effects?: Readonly<Record<string, ErasedEffect | undefined>>;
}

function named(name: string, effect: ErasedEffect): Effect {
  return {
    name,
    when: (change) => effect.when(change),
    run: (change, context) => effect.run(change, context),
  };
}
