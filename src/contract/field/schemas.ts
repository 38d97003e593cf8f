/** Schemas of fields that many records have. */
import { z } from 'zod';
import { expected, expectedAmong, expectedValue } from './expected.ts';

// The building blocks of the contract's schemas. Each checks a value and changes
// nothing. No error message repeats a value, except those of enumerations.

/** Any string, the empty one included. */
export const string = z.string({ error: expected('a string') });

/** `true` or `false`, never a string or 0 and 1. */
export const boolean = z.boolean({ error: expected('true or false') });

/** A record's numeric id: a whole number that a double holds exactly (specification, Conventions 9). */
export const recordId = z.int({ error: expectedAmong('a whole number up to 9007199254740991', 'number') });

/** Any number. */
export const number = z.number({ error: expected('a number') });

/** A whole number of things. */
export const count = z.int({ error: expected('a whole number (a count)') });

/** A number of attempts, from 1. A number beyond the limit is the login's mistake, not the payload's. */
export const attemptCount = z
  .int({ error: expectedAmong('a whole number (a count)', 'number') })
  .min(0, { error: 'expected a whole number (a count), received a negative number' });

/** An amount in Brazilian reais, as the number that was sent (specification, Conventions 7). */
export const reais = z.number({ error: expected('a number (reais)') });

/** A decimal number of degrees. The specification names no datum; WGS 84 is likely. */
export const degrees = z.number({ error: expected('a number (degrees)') });

/** A string with at least one character. `what` describes it in error messages. */
export function nonEmpty(what: string): z.ZodString {
  const error = expectedAmong(what, 'string');
  // Not `.min(1)`, which also reports empty arrays.
  return z
    .string({ error })
    .refine((value) => value !== '', { error })
    .meta({ minLength: 1 });
}

/** An enumeration in a request: any other value is an error, which names the value. */
export function closedSet<const Values extends readonly [string, ...string[]]>(
  values: Values,
): z.ZodEnum<{ [Value in Values[number]]: Value }> {
  return z.enum(values, { error: expectedValue(amongText(values)) });
}

/** The known values, for completion, and any other string. */
export type OpenSet<Value extends string> = Value | (string & {});

/** Some values, for completion, and any other string. The mark, which no string has, tells it from {@link OpenSet}. */
type ExampleSet<Value extends string> = Value | (string & { readonly exampleOnly?: never });

/** The JSON Schema keyword that lists the known values of an enumeration that may grow. */
export const KNOWN_VALUES = 'x-known-values';

/**
 * An enumeration of a received record. The specification lists its values, and may grow: any other non-empty
 * string is accepted, and the event is flagged `unknown-value`.
 *
 * @param orElse what messages add, where something else is allowed, too: ` or null`
 */
export function openSet<const Value extends string>(
  values: readonly Value[] | z.ZodEnum<Readonly<Record<string, Value>>>,
  orElse = '',
): z.ZodType<OpenSet<Value>, OpenSet<Value>> {
  const known = values instanceof z.ZodEnum ? values.options : values;
  const schema: z.ZodType = nonEmpty(`${amongText(known)}${orElse}`).meta({
    examples: [...known],
    [KNOWN_VALUES]: [...known],
  });
  return schema as z.ZodType<OpenSet<Value>, OpenSet<Value>>;
}

/** Text of which the specification gives examples only. Accepts any string but the empty one, without a flag. */
export function exampleSet<const Values extends readonly [string, ...string[]]>(
  values: Values,
): z.ZodType<ExampleSet<Values[number]>, ExampleSet<Values[number]>> {
  const schema: z.ZodType = nonEmpty(`a non-empty string such as "${values[0]}"`).meta({
    examples: [...values],
  });
  return schema as z.ZodType<ExampleSet<Values[number]>, ExampleSet<Values[number]>>;
}

/** Says which values an enumeration has: `one of "a", "b"`. */
export function amongText(values: readonly string[]): string {
  const quoted = values.map((value) => JSON.stringify(value));
  return quoted.length === 1 ? quoted.join() : `one of ${quoted.join(', ')}`;
}

/**
 * An object with these fields. Unknown fields are kept unchecked, and left out of the type, so that a misspelled
 * name does not compile; `undeclaredFields` returns them.
 */
export function object<Shape extends z.core.$ZodLooseShape>(shape: Shape): z.ZodObject<Shape> {
  return z.looseObject(shape, { error: expected('an object') }) as z.ZodObject as z.ZodObject<Shape>;
}

/** The JSON Schema keyword that marks personal data. */
export const PERSONAL_DATA = 'x-personal-data';

/**
 * Marks a field as personal data, or as equally sensitive: payment codes, access links, tokens, locations.
 * `maskPersonalData` masks marked fields wherever people or logs could see them.
 */
export function personal<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ [PERSONAL_DATA]: true });
}
