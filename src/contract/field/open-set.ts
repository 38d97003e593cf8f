import { z } from 'zod';
import { expected } from './expected.ts';

/** The known values, for completion, and any other string. */
export type OpenSet<Value extends string> = Value | (string & {});

/**
 * A set that the specification calls a string and lists values of, or does not
 * show in full. Values that it does not list are taken too: a new status must
 * not stop deliveries. The empty string names no state and is an error.
 */
export function openSet<const Values extends readonly [string, ...string[]]>(
  values: Values,
): z.ZodType<OpenSet<Values[number]>, OpenSet<Values[number]>> {
  const what = `a non-empty string such as "${values[0]}"`;
  const schema: z.ZodType = z
    .string({ error: expected(what) })
    .min(1, { error: `expected ${what}, received an empty string` })
    .meta({ examples: [...values] });
  return schema as z.ZodType<OpenSet<Values[number]>, OpenSet<Values[number]>>;
}
