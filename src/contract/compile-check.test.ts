import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compileCheck } from './compile-check.ts';

const text = z.string();

const schemas: Readonly<Record<string, z.ZodType>> = {
  text,
  'text with checks': text.refine((value) => value !== 'a').regex(/^.?$/),
  'text with a sticky pattern': text.regex(/a/y),
  'text with a check of another kind': text.min(1),
  'text of a format': z.email(),
  'text made of anything': z.coerce.string(),
  number: z.number(),
  'whole number': z.int(),
  'whole number with least and most': z.int().min(0).lt(7),
  'number above': z.number().gt(0),
  'number of 32 bits': z.int32(),
  'number made of anything': z.coerce.number(),
  truth: z.boolean(),
  'truth made of anything': z.coerce.boolean(),
  set: z.enum(['a', 'b']),
  'set with a check': z.enum(['a', 'b']).refine((value) => value !== 'b'),
  'check with a condition': text.refine((value) => value !== '', { when: ({ value }) => value !== 'a' }),
  optional: text.optional(),
  nullable: text.nullable(),
  nullish: z.int().nullish(),
  'optional but never undefined': z.object({ a: text.exactOptional() }),
  'with a default': z.object({ a: text.default('a') }),
  'with something in its place': z.object({ a: text.catch('a') }),
  'anything, but there': z.object({ a: z.unknown() }),
  object: z.object({ a: text, b: z.int().optional() }),
  'loose object': z.looseObject({ a: text.nullable() }),
  'strict object': z.strictObject({ a: text.optional() }),
  'object with others of a type': z.object({ a: text.optional() }).catchall(z.int()),
  'object with a check': z.looseObject({ a: text.nullish() }).refine(({ a }) => a !== 'a'),
  'objects within objects': z.object({
    a: z.object({ b: z.object({ a: text }).nullish() }),
    b: z.int().nullish(),
  }),
  'names that are no identifiers': z.object({ '"\\\n\u2028${': text.optional(), '': text }),
  record: z.record(z.string(), text.nullable()),
  array: z.array(text),
  'array with a length': z.array(text).min(1),
  'array of objects': z.array(z.looseObject({ a: text.nullish() })).nullish(),
  'record of objects': z.record(z.string(), z.object({ a: text })),
  'record of chosen keys': z.record(z.string().regex(/^a/), text),
  'record of named keys': z.record(z.enum(['a', 'b']), text),
  union: z.union([text, z.int()]),
};

const leaf = fc.oneof(
  fc.constantFrom(null, true, '', 'a', 'b', 'a@b.example', 0, -0, 1, -1, 1.5, 7, 2 ** 31, 2 ** 53, Infinity),
  fc.string(),
  fc.double({ noNaN: true }),
);
/** Objects mostly of names that the schemas know. */
const { value: json } = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, tie('object'), fc.array(tie('value'), { maxLength: 2 })),
  object: fc.dictionary(
    fc.constantFrom('a', 'b', '', '"\\\n\u2028${', '__proto__', 'constructor', 'c'),
    tie('value'),
    { maxKeys: 3 },
  ),
}));

describe('a compiled check says of any JSON what its schema does', () => {
  it.each(Object.keys(schemas))('%s', (name) => {
    const schema = schemas[name] ?? z.never();
    const check = compileCheck(schema);
    fc.assert(
      fc.property(json, (value) => {
        expect(check(value)).toBe(schema.safeParse(value).success);
      }),
      { numRuns: 500 },
    );
  });
});
