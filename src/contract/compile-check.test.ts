import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compileCheck } from './compile-check.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';

const string = z.string();

const schemas: Readonly<Record<string, z.ZodType>> = {
  string,
  'string with checks': string.refine((value) => value !== 'a').regex(/^.?$/),
  'string with a sticky pattern': string.regex(/a/y),
  'string with a check of another kind': string.min(1),
  'string with a format': z.email(),
  'coerced string': z.coerce.string(),
  number: z.number(),
  'whole number': z.int(),
  'whole number with bounds': z.int().min(0).lt(7),
  'number above': z.number().gt(0),
  '32-bit number': z.int32(),
  'coerced number': z.coerce.number(),
  boolean: z.boolean(),
  'coerced boolean': z.coerce.boolean(),
  enum: z.enum(['a', 'b']),
  'enum with a check': z.enum(['a', 'b']).refine((value) => value !== 'b'),
  'check with a condition': string.refine((value) => value !== '', { when: ({ value }) => value !== 'a' }),
  optional: string.optional(),
  nullable: string.nullable(),
  nullish: z.int().nullish(),
  'optional but never undefined': z.object({ a: string.exactOptional() }),
  'with a default': z.object({ a: string.default('a') }),
  'with a catch': z.object({ a: string.catch('a') }),
  'required unknown': z.object({ a: z.unknown() }),
  object: z.object({ a: string, b: z.int().optional() }),
  'loose object': z.looseObject({ a: string.nullable() }),
  'optional with a check': string.nullish().refine((value) => value !== 'a'),
  'object of an optional with a check': z.object({ a: string.optional().refine((value) => value !== 'a') }),
  'strict object': z.strictObject({ a: string.optional() }),
  'object with a catchall': z.object({ a: string.optional() }).catchall(z.int()),
  'object with a check': z.looseObject({ a: string.nullish() }).refine(({ a }) => a !== 'a'),
  'nested objects': z.object({
    a: z.object({ b: z.object({ a: string }).nullish() }),
    b: z.int().nullish(),
  }),
  'names that are not identifiers': z.object({ '"\\\n\u2028${': string.optional(), '': string }),
  record: z.record(z.string(), string.nullable()),
  array: z.array(string),
  'array with a length': z.array(string).min(1),
  'array of objects': z.array(z.looseObject({ a: string.nullish() })).nullish(),
  'record of objects': z.record(z.string(), z.object({ a: string })),
  'record with a key pattern': z.record(z.string().regex(/^a/), string),
  'record with enum keys': z.record(z.enum(['a', 'b']), string),
  union: z.union([string, z.int()]),
};

const leaf = fc.oneof(
  fc.constantFrom(null, true, '', 'a', 'b', 'a@b.example', 0, -0, 1, -1, 1.5, 7, 2 ** 31, 2 ** 53, Infinity),
  fc.string(),
  fc.double({ noNaN: true }),
);
/** Objects that mostly have names of the schemas. */
const { value: json } = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, tie('object'), fc.array(tie('value'), { maxLength: 2 })),
  object: fc.dictionary(
    fc.constantFrom('a', 'b', '', '"\\\n\u2028${', '__proto__', 'constructor', 'c'),
    tie('value'),
    { maxKeys: 3 },
  ),
}));

describe('a compiled check agrees with its schema on any JSON', () => {
  it.each(Object.keys(schemas))('%s', (name) => {
    const schema = schemas[name] ?? z.never();
    const check = compileCheck(schema);
    fc.assert(
      fc.property(json, (value) => {
        expect(check(value)).toBe(schema.safeParse(value).success);
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});
