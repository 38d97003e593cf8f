import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sampleData } from '../testing/sample-data.ts';
import { catalogue, eventKinds } from './catalogue.ts';
import { findIssues } from './find-issues.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';

/** The issues of zod itself. */
function zodIssues(schema: z.ZodType, value: unknown) {
  return (schema.safeParse(value).error?.issues ?? []).map(({ path, message }) => ({ path, message }));
}

const string = z.string();
const schemas: Readonly<Record<string, z.ZodType>> = {
  string,
  'string with checks': string.refine((value) => value !== 'a').regex(/^.?$/),
  object: z.object({ a: string, b: z.int().optional(), c: string.nullish() }),
  'loose object': z.looseObject({ a: string.nullable() }),
  'optional with a check': string.nullish().refine((value) => value !== 'a'),
  'object of an optional with a check': z.object({ a: string.optional().refine((value) => value !== 'a') }),
  'strict object': z.strictObject({ a: string.optional() }),
  'object with a catchall': z.object({ a: string.optional() }).catchall(z.int()),
  'object with a check': z.looseObject({ a: string.nullish() }).refine(({ a }) => a !== 'a'),
  'with a default': z.object({ a: string.default('a'), b: string.catch('a') }),
  'required unknown': z.object({ a: z.unknown() }),
  'nested objects': z.object({ a: z.object({ b: z.object({ a: string }).nullish() }), b: z.int() }),
  record: z.record(z.string(), string.nullable()),
  'record with a key pattern': z.record(z.string().regex(/^\d+$/), string),
  array: z.array(string),
  'array with a length': z.array(string).min(1).max(2),
  'arrays of objects in records': z.record(z.string(), z.array(z.looseObject({ a: string })).nullish()),
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

describe('finds the same issues as zod, in its order', () => {
  it.each(Object.keys(schemas))('for %s', (name) => {
    const schema = schemas[name] ?? z.never();
    fc.assert(
      fc.property(json, (value) => {
        expect(findIssues(schema, value, 1_000)).toEqual(zodIssues(schema, value));
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it.each(eventKinds)('for %s with any of its fields changed', (kind) => {
    const sample: Readonly<Record<string, unknown>> = sampleData(kind);
    const changed = fc.dictionary(fc.constantFrom('other', ...Object.keys(sample)), json);
    fc.assert(
      fc.property(changed, (changes) => {
        const data = { ...sample, ...changes };
        expect(findIssues(catalogue[kind].schema, data, 1_000)).toEqual(
          zodIssues(catalogue[kind].schema, data),
        );
      }),
      { numRuns: 30 },
    );
  });
});

it('returns at most `max` issues, and stops looking', () => {
  let checked = 0;
  const schema = z.array(
    string.refine(() => {
      checked += 1;
      return false;
    }),
  );
  const list = Array.from({ length: 10_000 }, () => 'a');

  expect(findIssues(schema, list, 3)).toEqual(zodIssues(schema, list).slice(0, 3));
  checked = 0;
  findIssues(schema, list, 3);
  // Each item is checked twice: by the compiled check, and by zod.
  expect(checked).toBeLessThan(10);
});

it('says that null is allowed, too, where it is', () => {
  const schema = catalogue['company.login.started'].schema;
  const { step: _step, ...data } = sampleData('company.login.started') as Record<string, unknown>;
  expect(findIssues(schema, data, 9)).toMatchObject([
    {
      path: ['step'],
      message: expect.stringMatching(/^is required: expected one of .* or null$/u) as string,
    },
  ]);
  expect(findIssues(schema, { ...data, step: 7 }, 9)).toMatchObject([
    { message: expect.stringMatching(/ or null, received a number$/u) as string },
  ]);
});
