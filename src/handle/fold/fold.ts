/** Applies one event to a state, with its effects. */
import { failureReason } from '../../kernel/failure-reason.ts';
import type { StoredEvent } from '../../event/stored-event.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import type { Anomaly } from '../../store/machine-states.ts';
import type { Change, Machine } from '../define/machine.ts';
import { toJson } from '../define/to-json.ts';

/** An effect that a change requires. */
export interface CalledEffect {
  readonly name: string;
  readonly change: Change;
}

export type FoldAnomaly = Pick<Anomaly, 'eventId' | 'message'>;

/** The result of folding one event into a state. */
export interface Folded {
  readonly state: JsonValue;
  readonly anomalies: readonly FoldAnomaly[];
  readonly effects: readonly CalledEffect[];
}

/**
 * Folds one event into `state`.
 *
 * @throws whatever the machine's own code throws; TypeError when `evolve`
 *   returns a state that is not JSON.
 */
export function foldOne(machine: Machine, state: JsonValue, event: StoredEvent): Folded {
  // `evolve` gets a copy, because it might write into the state it was given.
  const after = toJson(machine.evolve(toJson(state, 'state'), event), `the state of ${machine.name}`);
  const change: Change = { before: state, after, event };
  return {
    state: after,
    anomalies: machine.anomalies(change).map((message) => ({ eventId: event.id, message })),
    effects: machine.effects.filter((effect) => effect.when(change)).map(({ name }) => ({ name, change })),
  };
}

/** Folds events one after another and keeps the state and the anomalies. */
export interface Folding {
  readonly state: JsonValue;
  readonly anomalies: readonly FoldAnomaly[];
  /**
   * Folds the next event and returns the effects that its change requires.
   *
   * @throws like `foldOne`; the event then leaves no trace.
   */
  take(event: StoredEvent): readonly CalledEffect[];
  /**
   * Folds an event of the log. A failure of the machine becomes an anomaly,
   * because an old event must not block the events after it.
   */
  takeLogged(event: StoredEvent): readonly CalledEffect[];
}

/**
 * Starts a fold.
 *
 * @param from the state before the first event
 * @param known the anomalies of the events before it
 */
export function beginFold(
  machine: Machine,
  from: JsonValue = machine.initial,
  known: readonly FoldAnomaly[] = [],
): Folding {
  let state = from;
  const anomalies = [...known];

  function take(event: StoredEvent): readonly CalledEffect[] {
    const folded = foldOne(machine, state, event);
    ({ state } = folded);
    anomalies.push(...folded.anomalies);
    return folded.effects;
  }

  return {
    get state() {
      return state;
    },
    anomalies,
    take,
    takeLogged(event) {
      try {
        return take(event);
      } catch (error) {
        anomalies.push({
          eventId: event.id,
          message: `ignored, because the machine failed on it: ${failureReason(error)}`,
        });
        return [];
      }
    },
  };
}
