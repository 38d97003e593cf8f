import type { JsonValue } from '../../kernel/json/json.ts';
import type { Transition } from './transition-table.ts';

/** The members of a state that hold a phase. The store's index of phases has the same names. */
const MEMBERS = ['phase', 'status', 'session'] as const;

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

/** Characters of a phase. A state may hold any text where a phase is expected. */
const MAX_LENGTH = 60;

function partsOf(state: JsonValue): readonly (string | null)[] {
  if (typeof state === 'string') return [cut(state)];
  if (typeof state !== 'object' || state === null || Array.isArray(state)) return [null];
  const members = state as Readonly<Record<string, JsonValue>>;
  return MEMBERS.map((name) => {
    const value = Object.hasOwn(members, name) ? members[name] : undefined;
    return typeof value === 'string' ? cut(value) : null;
  });
}

/** Whole characters, as SQLite counts them. */
function cut(text: string): string {
  return text.length <= MAX_LENGTH ? text : Array.from(text).slice(0, MAX_LENGTH).join('');
}
