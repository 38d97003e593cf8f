/** The phases in a state of a machine: those that a store keeps in a column, and the moves between two states. */
import { isJsonObject, type JsonValue } from '../kernel/json/json.ts';

/** The members of a state that hold a phase. */
const MEMBERS = ['phase', 'status', 'session'] as const;

/** Characters of a phase. A state may hold any text where a phase is expected. */
const MAX_LENGTH = 60;

/** The phase in a state itself, then those in its members `phase`, `status` and `session`; null where there is none. */
export type StateParts = readonly [own: string | null, ...members: (string | null)[]];

/** Finds the parts of a state that hold a phase. SQLite computes the same in `machine_states.phases`. */
export function partsOfState(state: JsonValue): StateParts {
  if (typeof state === 'string') return [cut(state), ...MEMBERS.map(() => null)];
  if (!isJsonObject(state)) return [null, ...MEMBERS.map(() => null)];
  const parts = MEMBERS.map((name) => {
    const value = Object.hasOwn(state, name) ? state[name] : undefined;
    return typeof value === 'string' ? cut(value) : null;
  });
  return [null, ...parts];
}

/**
 * Returns the phases that a state is in: the state itself if it is a string, and its members `phase`, `status` and
 * `session`. Several, when a machine follows independent parts, such as an attempt and a session.
 */
export function phasesOf(state: JsonValue): readonly string[] {
  return usedParts(state).filter((part) => part !== null);
}

/** Returns the moves between two states: one for each part that changed. */
export function movesBetween(
  before: JsonValue,
  after: JsonValue,
): readonly { readonly from: string; readonly to: string }[] {
  const parts = usedParts(after);
  return usedParts(before).flatMap((from, index) => {
    const to = parts[index] ?? null;
    return from === null || to === null || from === to ? [] : [{ from, to }];
  });
}

function usedParts(state: JsonValue): readonly (string | null)[] {
  const [own, ...members] = partsOfState(state);
  return own === null ? members : [own];
}

/** Whole characters, as SQLite counts them. */
function cut(text: string): string {
  return text.length <= MAX_LENGTH ? text : Array.from(text).slice(0, MAX_LENGTH).join('');
}
