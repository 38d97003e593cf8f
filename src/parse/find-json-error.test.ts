import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findJsonError } from './find-json-error.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const tokens = [
  ...'{ } [ ] , : " "a" \\ \\n \\u00e9 \\u - 0 1 . e + true false null nul 1.5e-3 ": [] {}'.split(' '),
  ' ',
  '\n',
  '\t',
  '\u0001',
  '\u00a0',
];
/** Made of what JSON is made of, so that a good part of them almost is. */
const almostJson = fc.array(fc.constantFrom(...tokens), { maxLength: 12 }).map((parts) => parts.join(''));

describe('finds an error exactly where JSON.parse refuses', () => {
  test('in any text that is almost JSON', () => {
    fc.assert(
      fc.property(almostJson, (text) => {
        expect(findJsonError(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test('in any JSON with one character changed', () => {
    const change = fc.tuple(fc.json({ maxDepth: 3 }), fc.nat(), fc.string({ minLength: 0, maxLength: 1 }));
    fc.assert(
      fc.property(change, ([text, place, character]) => {
        const at = place % text.length;
        const changed = text.slice(0, at) + character + text.slice(at + 1);
        expect(findJsonError(changed) === undefined).toBe(isJson(changed));
      }),
      { numRuns: 500 },
    );
  });
});

test.each([
  ['', 1, 1, true],
  ['{', 1, 2, true],
  ['{"a":1', 1, 7, true],
  ['"abc', 1, 5, true],
  ['1.', 1, 3, true],
  ['-', 1, 2, true],
  ['nul', 1, 1, false],
  ['{"a":}', 1, 6, false],
  ['{"a":1,}', 1, 8, false],
  ['[1,]', 1, 4, false],
  ['[1 2]', 1, 4, false],
  ['01', 1, 2, false],
  ['{} x', 1, 4, false],
  ["{'a':1}", 1, 2, false],
  ['{\n  "a": 1,\n  b: 2\n}', 3, 3, false],
  ['["a\nb"]', 1, 4, false],
  ['["a\\x"]', 1, 5, false],
  ['["\\u12G4"]', 1, 7, false],
  ['\ufeff{}', 1, 1, false],
])('in %j it is at line %i, column %i', (text, line, column, atEnd) => {
  expect(findJsonError(text)).toEqual({ line, column, atEnd });
});

test('strings and numbers of megabytes are no trouble', () => {
  const long = 4_000_000;
  expect(findJsonError(`["${'\\n'.repeat(long)}"]`)).toBeUndefined();
  expect(findJsonError(`["${'a'.repeat(long)}`)).toMatchObject({ column: long + 3, atEnd: true });
  expect(findJsonError(`[${'1'.repeat(long)}`)).toMatchObject({ column: long + 2, atEnd: true });
});
