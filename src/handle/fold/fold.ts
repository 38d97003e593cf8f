import { failureReason } from '../../kernel/failure-reason.ts';
import type { StoredEvent } from '../../event/stored-event.ts';
import type { JsonValue } from '../../kernel/json/json.ts';
import type { Anomaly } from '../../store/machine-states.ts';
import type { Change, Machine } from '../define/machine.ts';
import { toJson } from '../define/to-json.ts';

/** An effect that a change calls for. */
export interface CalledEffect {
  readonly name: string;
  readonly change: Change;
}

export type FoldAnomaly = Pick<Anomaly, 'eventId' | 'message'>;

/** What came of folding an event into a state. */
export interface Folded {
  readonly state: JsonValue;
  readonly anomalies: readonly FoldAnomaly[];
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

/** A fold of events, one after the other. */
export interface Folding {
  readonly state: JsonValue;
  readonly anomalies: readonly FoldAnomaly[];
  /**
   * Folds the next event. Returns the effects that its change calls for.
   * @throws as `foldOne`; then the event is left out.
   */
  take(event: StoredEvent): readonly CalledEffect[];
  /**
   * The same for an event that stands in the log and must not keep a later one
   * from its turn: when the machine fails on it, that is an anomaly.
   */
  takeLogged(event: StoredEvent): readonly CalledEffect[];
}

/**
 * @param from the state before the first event; the machine's initial one unless given.
 * @param known the anomalies up to there
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
          message: `left out, because the machine failed on it: ${failureReason(error)}`,
        });
        return [];
      }
    },
  };
}
