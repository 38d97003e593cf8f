import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sampleData } from '../testing/sample-data.ts';
import { catalogue, eventKinds } from './catalogue.ts';
import { findMisfits } from './find-misfits.ts';

/** As zod says it. */
function told(schema: z.ZodType, value: unknown) {
  return (schema.safeParse(value).error?.issues ?? []).map(({ path, message }) => ({ path, message }));
}

const text = z.string();
const schemas: Readonly<Record<string, z.ZodType>> = {
  text,
  'text with checks': text.refine((value) => value !== 'a').regex(/^.?$/),
  object: z.object({ a: text, b: z.int().optional(), c: text.nullish() }),
  'loose object': z.looseObject({ a: text.nullable() }),
  'strict object': z.strictObject({ a: text.optional() }),
  'object with others of a type': z.object({ a: text.optional() }).catchall(z.int()),
  'object with a check': z.looseObject({ a: text.nullish() }).refine(({ a }) => a !== 'a'),
  'with a default': z.object({ a: text.default('a'), b: text.catch('a') }),
  'anything, but there': z.object({ a: z.unknown() }),
  'objects within objects': z.object({ a: z.object({ b: z.object({ a: text }).nullish() }), b: z.int() }),
  record: z.record(z.string(), text.nullable()),
  'record of numbered keys': z.record(z.string().regex(/^\d+$/), text),
  array: z.array(text),
  'array with a length': z.array(text).min(1).max(2),
  'arrays of objects in records': z.record(z.string(), z.array(z.looseObject({ a: text })).nullish()),
};

const { value: json } = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, '', 'a', 0, 1.5, Infinity),
    tie('object'),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'), tie('value'), {
    maxKeys: 4,
  }),
}));

describe('what is wrong is what zod says, in its order', () => {
  it.each(Object.keys(schemas))('of %s', (name) => {
    const schema = schemas[name] ?? z.never();
    fc.assert(
      fc.property(json, (value) => {
        expect(findMisfits(schema, value, 1_000)).toEqual(told(schema, value));
      }),
      { numRuns: 500 },
    );
  });

  it.each(eventKinds)('of %s with any of its fields spoiled', (kind) => {
    const sample: Readonly<Record<string, unknown>> = sampleData(kind);
    const spoiled = fc.dictionary(fc.constantFrom('other', ...Object.keys(sample)), json);
    fc.assert(
      fc.property(spoiled, (changes) => {
        const data = { ...sample, ...changes };
        expect(findMisfits(catalogue[kind].schema, data, 1_000)).toEqual(told(catalogue[kind].schema, data));
      }),
      { numRuns: 30 },
    );
  });
});

it('is no more than was asked for, and no more is looked for', () => {
  let looked = 0;
  const schema = z.array(
    text.refine(() => {
      looked += 1;
      return false;
    }),
  );
  const list = Array.from({ length: 10_000 }, () => 'a');

  expect(findMisfits(schema, list, 3)).toEqual(told(schema, list).slice(0, 3));
  looked = 0;
  findMisfits(schema, list, 3);
  // Each item is looked at twice: whether it fits, and what is wrong with it.
  expect(looked).toBeLessThan(10);
});
