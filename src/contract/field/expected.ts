/** The part of zod's issue that an error function needs. */
interface WrongValue {
  readonly input?: unknown;
}

/**
 * Creates the error message of a wrong value: what was expected, and the type that came. Never the value: it
 * may be personal data, and messages end up in responses, logs and quarantine lists.
 */
export function expected(what: string): (wrong: WrongValue) => string {
  return ({ input }) =>
    input === undefined ? `is required: expected ${what}` : `expected ${what}, received ${typeName(input)}`;
}

/** As {@link expected}, for a value that has the right JSON type and is not among the allowed ones. */
export function expectedAmong(what: string, type: 'string' | 'number'): (wrong: WrongValue) => string {
  const wrongType = expected(what);
  return (wrong) => {
    if (typeof wrong.input !== type) return wrongType(wrong);
    if (wrong.input === '') return `expected ${what}, received an empty string`;
    return `expected ${what}, received another ${type}`;
  };
}

/** As {@link expected}, for a member of an enumeration: it names the received string. Not for personal data. */
export function expectedValue(what: string): (wrong: WrongValue) => string {
  const wrongType = expected(what);
  return (wrong) =>
    typeof wrong.input === 'string' ? `expected ${what}, received ${quoted(wrong.input)}` : wrongType(wrong);
}

/** In characters: a received value in a message is cut after these. */
const MAX_QUOTED = 60;

/** Quotes a received string, escaped and cut. */
function quoted(value: string): string {
  const cut = value.length > MAX_QUOTED ? `${value.slice(0, MAX_QUOTED)}…` : value;
  // JSON leaves some characters that a terminal would act on: C1 controls and marks that reverse the text.
  return JSON.stringify(cut).replaceAll(
    /[\u007f-\u009f\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  // JSON text can contain 1e400, which JSON.parse reads as Infinity.
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number too large to hold';
  // The parser reads a whole number that no double holds as the text of its digits.
  if (typeof value === 'string' && /^-?\d{16,}$/u.test(value))
    return `${String(value.length)} digits, too many for a number`;
  return `a ${typeof value}`;
}
