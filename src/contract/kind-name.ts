/** Which names a kind may have. */

/** The maximum length of a kind, in characters. The longest kind of the specification has 36. */
const MAX_LENGTH = 200;

/**
 * Says what is wrong with the name of a kind, received or defined; undefined when nothing is. Kinds appear in
 * terminals, logs and subjects, so control characters and lone surrogates are rejected.
 */
export function kindNameProblem(name: string): string | undefined {
  if (name.length > MAX_LENGTH) return `is longer than ${String(MAX_LENGTH)} characters`;
  return /[\p{Cc}\p{Cs}]/u.test(name) ? 'contains control characters' : undefined;
}
