/** Schemas of the fields that handlers and machines share. */
import { isJsonObject } from '../kernel/json/json.ts';
import { z } from 'zod';
import { issuePath } from './find-issues.ts';
import { PortariaError, problemList, type Problem } from '../kernel/errors.ts';
import { suggest } from '../kernel/text/suggest.ts';

/** The longest delay of `setTimeout`. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * An object with these fields and no others. An unknown field may be undefined
 * or inherited: a definition may be an instance of a class.
 */
export function fields<Shape extends z.ZodRawShape>(shape: Shape, expected = 'an object') {
  const known = Object.keys(shape);
  const unknown = z.undefined({
    error: ({ path = [] }) => {
      const near = suggest(String(path.at(-1)), known);
      const remedy = near === undefined ? `known are ${known.join(', ')}` : `did you mean ${near}?`;
      return `is not a field here: ${remedy}`;
    },
  });
  // zod reads inherited fields like own ones: leave out the unknown ones.
  const ownAndKnown = (value: unknown): unknown =>
    isJsonObject(value)
      ? { ...value, ...Object.fromEntries(known.map((name) => [name, value[name]])) }
      : value;
  return z.preprocess(ownAndKnown, z.object(shape, mustBe(expected)).catchall(unknown));
}

export function wholeNumber(min: number) {
  return numberFrom(min, Number.MAX_SAFE_INTEGER, `a whole number from ${String(min)}`);
}

export function milliseconds(min: number) {
  return numberFrom(min, MAX_DELAY_MS, `whole milliseconds from ${String(min)} to ${String(MAX_DELAY_MS)}`);
}

function numberFrom(min: number, max: number, expected: string) {
  return z.custom<number>(
    (value) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max,
    mustBe(expected),
  );
}

/** The error of a schema: what the value is, and what it must be. */
export function mustBe(expected: string) {
  return {
    error: ({ input }: { readonly input?: unknown }) =>
      input === undefined
        ? `is missing: it must be ${expected}`
        : `is ${described(input)}: it must be ${expected}`,
  };
}

function described(value: unknown): string {
  if (typeof value === 'string')
    return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}...` : value);
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

export function isNonEmpty(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/**
 * Checks the argument of a define function.
 *
 * @param name names the definition in the error, besides its type
 * @param nameProblem a mistake in what is not part of the definition
 * @throws PortariaError `handler-invalid`; its message and `problems` list every mistake.
 */
export function checkDefinition(
  type: 'handler' | 'machine' | 'kind' | 'source',
  schema: z.ZodType,
  definition: unknown,
  name: unknown,
  nameProblem?: Problem,
): void {
  const { error } = schema.safeParse(definition);
  if (error === undefined && nameProblem === undefined) return;
  const found = (error?.issues ?? []).map(({ path: [root = 'definition', ...path], message }): Problem => {
    return { where: issuePath(path, String(root)), message };
  });
  const problems = nameProblem === undefined ? found : [nameProblem, ...found];
  const title = isNonEmpty(name) ? `${type} ${JSON.stringify(name)}` : `a ${type} without a name`;
  const list = problemList(problems);
  throw new PortariaError('handler-invalid', `${title} is not valid: ${list}`, { problems });
}
