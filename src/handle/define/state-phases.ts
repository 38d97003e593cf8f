import type { JsonValue } from '../../kernel/json/json.ts';
import { partsOfState } from '../../store/rows/state-phases.ts';
import type { Transition } from './transition-table.ts';

/**
 * Returns the phases that a state is in: the state itself if it is a string, and its members `phase`, `status` and
 * `session`. Several, when a machine follows independent parts, such as an attempt and a session.
 */
export function phasesOf(state: JsonValue): readonly string[] {
  return partsOf(state).filter((part) => part !== null);
}

/** Returns the moves between two states: one for each part that changed. */
export function movesBetween(
  before: JsonValue,
  after: JsonValue,
): readonly Pick<Transition, 'from' | 'to'>[] {
  const parts = partsOf(after);
  return partsOf(before).flatMap((from, index) => {
    const to = parts[index] ?? null;
    return from === null || to === null || from === to ? [] : [{ from, to }];
  });
}

function partsOf(state: JsonValue): readonly (string | null)[] {
  const [own, ...members] = partsOfState(state);
  return own === null ? members : [own];
}
