import type { z } from 'zod';
import { nonEmpty } from './non-empty.ts';

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
  const schema: z.ZodType = nonEmpty(`a non-empty string such as "${values[0]}"`).meta({
    examples: [...values],
  });
  return schema as z.ZodType<OpenSet<Values[number]>, OpenSet<Values[number]>>;
}
