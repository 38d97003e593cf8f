/** What zod tells an error function of a wrong value. */
interface WrongValue {
  readonly input?: unknown;
}

/**
 * The message for a wrong value: what was expected and what kind of thing came.
 * Never the value itself, which may be personal data and ends up in answers,
 * logs and quarantine lists.
 */
export function expected(what: string): (wrong: WrongValue) => string {
  return ({ input }) =>
    input === undefined ? `is required: expected ${what}` : `expected ${what}, received ${nameOf(input)}`;
}

/** As {@link expected}, for a value of the right JSON type that is none of those allowed. */
export function expectedAmong(what: string, type: 'string' | 'number'): (wrong: WrongValue) => string {
  const wrongType = expected(what);
  return (wrong) => {
    if (typeof wrong.input !== type) return wrongType(wrong);
    if (wrong.input === '') return `expected ${what}, received an empty string`;
    return `expected ${what}, received another ${type}`;
  };
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  // JSON text can hold 1e400; JSON.parse makes it Infinity.
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number too large to hold';
  return `a ${typeof value}`;
}
