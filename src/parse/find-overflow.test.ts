import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonValue } from '../kernel/json/json.ts';
import { findOverflow } from './parse.ts';

const of = (text: string): string | undefined => findOverflow(JSON.parse(text) as JsonValue);

test.each([
  ['1e400', 'data'],
  ['-1e400', 'data'],
  ['9'.repeat(900_000), 'data'],
  ['{"a":[1,{"b c":1e309}]}', 'data.a[1]["b c"]'],
  ['{"__proto__":{"a":1e999}}', 'data.__proto__.a'],
  ['[null,"1e400",[],{},1e400,1e401]', 'data[4]'],
])('finds the first number too large for a double: %#', (text, path) => {
  expect(of(text)).toBe(path);
});

test.each([
  '1e308',
  '-1.7976931348623157e308',
  '1e-400',
  '-0',
  '9'.repeat(300),
  '"1e400"',
  'null',
  '{}',
  '[]',
])('finds none: %#', (text) => {
  expect(of(text)).toBeUndefined();
});

test('finds none in any JSON of doubles', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(findOverflow(value as JsonValue)).toBeUndefined();
    }),
  );
});
