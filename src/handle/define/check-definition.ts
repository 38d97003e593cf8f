import { z } from 'zod';
import { issuePath } from '../../contract/find-issues.ts';
import { PortariaError, type Problem } from '../../kernel/errors.ts';
import { suggest } from '../../kernel/text/suggest.ts';
import { patternList, patternProblem } from './patterns.ts';
import { toJson } from './to-json.ts';

/**
 * Checks the argument of `defineHandler`.
 *
 * @throws PortariaError `handler-invalid`; its message and `problems` list every mistake.
 */
export function checkHandler(definition: unknown): void {
  check('handler', handlerSchema, definition);
}

/**
 * Checks the argument of `defineMachine`.
 *
 * @throws PortariaError `handler-invalid`; its message and `problems` list every mistake.
 */
export function checkMachine(definition: unknown): void {
  check('machine', machineSchema, definition);
}

/** The longest delay of `setTimeout`. */
const MAX_DELAY_MS = 2 ** 31 - 1;

// Not aborting, so that the names of effects are checked beside their functions.
const functionSchema = z.custom((value) => typeof value === 'function', {
  ...mustBe('a function'),
  abort: false,
});
const nonEmptyString = z.custom((value) => isNonEmpty(value), mustBe('a non-empty string'));

const patternsSchema = z
  .custom<string | readonly string[]>((value) => {
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    return list.length > 0 && list.every((pattern) => typeof pattern === 'string');
  }, mustBe('a kind, a wildcard, or a list of at least one'))
  .superRefine((on, context) => {
    for (const pattern of patternList(on)) {
      const message = patternProblem(pattern);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    }
  });

const retrySchema = fields({
  attempts: wholeNumber(1).optional(),
  baseMs: milliseconds(0).optional(),
  maxMs: milliseconds(0).optional(),
}).superRefine(({ baseMs, maxMs }, context) => {
  if (baseMs === undefined || maxMs === undefined || maxMs >= baseMs) return;
  const message = `is ${String(maxMs)}: it must be at least retry.baseMs, ${String(baseMs)}`;
  context.addIssue({ code: 'custom', path: ['maxMs'], message });
});

const commonFields = {
  name: z.custom(
    (value) => typeof value === 'string' && /^[a-z0-9][a-z0-9-]*$/.test(value),
    mustBe('lower-case letters, digits and dashes, the first not a dash'),
  ),
  on: patternsSchema,
  retry: retrySchema.optional(),
  timeoutMs: milliseconds(1).optional(),
  breaker: fields({
    failures: wholeNumber(1).optional(),
    subjects: wholeNumber(1).optional(),
    giveUps: wholeNumber(1).optional(),
  }).optional(),
};

const handlerSchema = fields({
  ...commonFields,
  order: z.enum(['subject', 'handler', 'none'], mustBe('"subject", "handler" or "none"')).optional(),
  stale: z.boolean(mustBe('true or false')).optional(),
  handle: functionSchema,
});

const effectSchema = fields(
  { when: functionSchema, run: functionSchema },
  'an object with the functions when and run',
);

const tableSchema = fields(
  {
    initial: nonEmptyString,
    transitions: z.array(
      fields({ from: nonEmptyString, on: nonEmptyString, to: nonEmptyString }, 'an object {from, on, to}'),
      mustBe('a list of {from, on, to}'),
    ),
  },
  'an object, or null',
);

const machineSchema = fields({
  ...commonFields,
  initial: z.unknown().superRefine((initial, context) => {
    const message = initial === undefined ? 'is missing: it must be a JSON value' : jsonProblem(initial);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  }),
  evolve: functionSchema,
  anomalies: functionSchema.optional(),
  effects: z
    .object({}, mustBe('an object of effects by name'))
    .catchall(effectSchema.optional())
    .superRefine(checkEffectNames, { when: () => true })
    .optional(),
  table: tableSchema.nullish(),
});

function checkEffectNames(effects: unknown, context: z.RefinementCtx): void {
  for (const [name, effect] of Object.entries(effects ?? {})) {
    if (effect === undefined || /^[a-z0-9][a-z0-9_-]*$/i.test(name)) continue;
    const message = 'must be named with letters, digits, dashes and underscores';
    context.addIssue({ code: 'custom', path: [name], message });
  }
}

/**
 * An object with these fields and no others. An unknown field may be undefined
 * or inherited: a definition may be an instance of a class.
 */
function fields<Shape extends z.ZodRawShape>(shape: Shape, expected = 'an object') {
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
    isObject(value) ? { ...value, ...Object.fromEntries(known.map((name) => [name, value[name]])) } : value;
  return z.preprocess(ownAndKnown, z.object(shape, mustBe(expected)).catchall(unknown));
}

function wholeNumber(min: number) {
  return numberFrom(min, Number.MAX_SAFE_INTEGER, `a whole number from ${String(min)}`);
}

function milliseconds(min: number) {
  return numberFrom(min, MAX_DELAY_MS, `whole milliseconds from ${String(min)} to ${String(MAX_DELAY_MS)}`);
}

function numberFrom(min: number, max: number, expected: string) {
  return z.custom<number>(
    (value) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max,
    mustBe(expected),
  );
}

/** The error of a schema: what the value is, and what it must be. */
function mustBe(expected: string) {
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

function jsonProblem(value: unknown): string | undefined {
  try {
    toJson(value, 'it');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'must be JSON';
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNonEmpty(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function check(type: 'handler' | 'machine', schema: z.ZodType, definition: unknown): void {
  const { error } = schema.safeParse(definition);
  if (error === undefined) return;
  const problems = error.issues.map(({ path: [root = 'definition', ...path], message }): Problem => {
    return { where: issuePath(path, String(root)), message };
  });
  const { name } = (definition ?? {}) as { readonly name?: unknown };
  const title = isNonEmpty(name) ? `${type} "${name}"` : `a ${type} without a name`;
  const list = problems.map(({ where, message }) => `${where}: ${message}`).join('; ');
  throw new PortariaError('handler-invalid', `${title} is not valid: ${list}`, { problems });
}
