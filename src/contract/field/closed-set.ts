import { z } from 'zod';
import { expectedAmong } from './expected.ts';

/** A set that the specification calls an enumeration: any other value is an error. */
export function closedSet<const Values extends readonly [string, ...string[]]>(
  values: Values,
): z.ZodEnum<{ [Value in Values[number]]: Value }> {
  const quoted = values.map((value) => `"${value}"`);
  const what = quoted.length === 1 ? quoted.join() : `one of ${quoted.join(', ')}`;
  return z.enum(values, { error: expectedAmong(what, 'string') });
}
