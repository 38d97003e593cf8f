/** The phases in a state of a machine. */
import type { JsonValue } from '../../kernel/json/json.ts';

/** The members of a state that hold a phase. */
const MEMBERS = ['phase', 'status', 'session'] as const;

/** Characters of a phase. A state may hold any text where a phase is expected. */
const MAX_LENGTH = 60;

/** The phase in a state itself, then those in its members `phase`, `status` and `session`; null where there is none. */
export type StateParts = readonly [own: string | null, ...members: (string | null)[]];

/** Finds the parts of a state that hold a phase. SQLite computes the same in `machine_states.phases`. */
export function partsOfState(state: JsonValue): StateParts {
  if (typeof state === 'string') return [cut(state), ...MEMBERS.map(() => null)];
  if (typeof state !== 'object' || state === null || Array.isArray(state))
    return [null, ...MEMBERS.map(() => null)];
  const members = state as Readonly<Record<string, JsonValue>>;
  const parts = MEMBERS.map((name) => {
    const value = Object.hasOwn(members, name) ? members[name] : undefined;
    return typeof value === 'string' ? cut(value) : null;
  });
  return [null, ...parts];
}

/** Whole characters, as SQLite counts them. */
function cut(text: string): string {
  return text.length <= MAX_LENGTH ? text : Array.from(text).slice(0, MAX_LENGTH).join('');
}
