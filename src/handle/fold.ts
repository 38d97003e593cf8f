import type { StoredEvent } from '../event/stored-event.ts';
import type { JsonValue } from '../kernel/json.ts';
import type { Change, Machine } from './machine.ts';
import { toJson } from './to-json.ts';

/** An effect that a change calls for. */
export interface CalledEffect {
  readonly name: string;
  readonly change: Change;
}

/** What came of folding events into a state. */
export interface Folded {
  readonly state: JsonValue;
  readonly anomalies: readonly { readonly eventId: string; readonly message: string }[];
  readonly effects: readonly CalledEffect[];
}

/**
 * Folds one event into `state`.
 *
 * @throws whatever the machine's own code throws, and a TypeError when the
 *   state it returns is not JSON.
 */
export function foldOne(machine: Machine, state: JsonValue, event: StoredEvent): Folded {
  // A copy, so that an `evolve` which writes into the state it was given changes no history.
  const after = toJson(machine.evolve(toJson(state, 'state'), event), `the state of ${machine.name}`);
  const change: Change = { before: state, after, event };
  return {
    state: after,
    anomalies: machine.anomalies(change).map((message) => ({ eventId: event.id, message })),
    effects: machine.effects.filter((effect) => effect.when(change)).map(({ name }) => ({ name, change })),
  };
}

/**
 * Folds events, in the order given, from the machine's initial state. An event
 * on which the machine fails is left out and becomes an anomaly, unless it is
 * `throwing`: what stands in the log must not keep a later event from its turn.
 */
export function fold(machine: Machine, events: readonly StoredEvent[], throwing?: StoredEvent): Folded {
  let state = machine.initial;
  const anomalies: Folded['anomalies'][number][] = [];
  const effects: CalledEffect[] = [];
  for (const event of events) {
    try {
      const step = foldOne(machine, state, event);
      state = step.state;
      anomalies.push(...step.anomalies);
      effects.push(...step.effects);
    } catch (error) {
      if (event.id === throwing?.id) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      anomalies.push({ eventId: event.id, message: `left out, because the machine failed on it: ${reason}` });
    }
  }
  return { state, anomalies, effects };
}
