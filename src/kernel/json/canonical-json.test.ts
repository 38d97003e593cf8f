import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalBytes, canonicalJson } from './canonical-json.ts';
import type { JsonValue } from './json.ts';

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;

/** The same value with the members of every object in another order. */
function reversed(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(reversed);
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([key, member]) => [key, reversed(member)]));
}

describe('canonical JSON', () => {
  test('sorts keys at every level and leaves arrays in their order', () => {
    const value = { b: [3, 1, { z: 1, a: 2 }], a: null };
    expect(canonicalJson(value)).toBe('{"a":null,"b":[3,1,{"a":2,"z":1}]}');
  });

  test('sorts keys by UTF-16 code units, as RFC 8785 does', () => {
    const value = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, ö: 7 };
    expect(Object.keys(JSON.parse(canonicalJson(value)) as object).filter((key) => key !== '1')).toEqual([
      '\r',
      '\u0080',
      'ö',
      '\u20ac',
      '\u{1f600}',
      '\ufb33',
    ]);
  });

  test.each([
    ['1', '1.0'],
    ['100', '1e2'],
    ['0', '-0'],
    ['0.1', '0.10'],
    ['"é"', '"\\u00e9"'],
    ['"/"', '"\\/"'],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['[1,2]', ' [ 1 ,\n\t2 ]\r\n'],
  ])('reads %s and %s alike', (one, other) => {
    expect(canonicalJson(JSON.parse(one) as JsonValue)).toBe(canonicalJson(JSON.parse(other) as JsonValue));
  });

  test.each([
    ['1', '"1"'],
    ['null', '"null"'],
    ['[]', '{}'],
    ['[[1],2]', '[1,[2]]'],
    ['{"a":null}', '{}'],
    ['{"__proto__":1}', '{}'],
    ['{"a":"b,c"}', '{"a":"b","c":1}'],
    ['1e400', '-1e400'],
    ['1e400', '"Infinity"'],
    ['1e400', 'null'],
    ['"\\ud800"', '"\\ud801"'],
    ['"\\ud800"', '"\\ufffd"'],
    ['"é"', '"e\\u0301"'],
  ])('tells %s from %s', (one, other) => {
    expect(canonicalJson(JSON.parse(one) as JsonValue)).not.toBe(
      canonicalJson(JSON.parse(other) as JsonValue),
    );
  });

  test('is JSON of the same value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  test('holds no white space outside of strings', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(value).replaceAll(/"(?:[^"\\]|\\.)*"/g, '')).not.toMatch(/\s/);
      }),
    );
  });
});

describe('of any value, it is what sorting and JSON.stringify make of it', () => {
  const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
  const name = fc.oneof(
    fc.constantFrom('a', 'b', 'id', 'é', '__proto__', 'toJSON', 'constructor', '0', '10', '"', '\\', ''),
    fc.string({ unit }),
    fc.string({ unit: 'grapheme', minLength: 20, maxLength: 90 }),
  );
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(null, true, false, 0, -0, 1e21, 5e-324, 2 ** 53, -1.5),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ unit }),
      fc.array(tie('value')),
      fc.array(fc.tuple(name, tie('value'))).map(
        // As JSON.parse makes them: `__proto__` is a member like any other.
        (members) => Object.fromEntries(members) as JsonValue,
      ),
    ),
  }));

  /** Slow and plain. */
  function sorted(value: JsonValue): string {
    if (value === null || typeof value !== 'object') return JSON.stringify(value);
    if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(sorted).join(',')}]`;
    const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${sorted(member)}`).join(',')}}`;
  }

  test('at the first time and when the shapes in it are known', () => {
    fc.assert(
      fc.property(value, (any) => {
        expect(canonicalJson(any)).toBe(sorted(any));
        expect(canonicalJson(any)).toBe(sorted(any));
      }),
      { numRuns: 500 },
    );
  });
});

describe('what is no object or array', () => {
  test('is written as JSON.stringify writes it, surrogates on their own included', () => {
    const text = fc.string({
      unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    });
    fc.assert(
      fc.property(
        fc.oneof(text, fc.string(), fc.double({ noNaN: true, min: -1e308, max: 1e308 })),
        (value) => {
          expect(canonicalJson(value)).toBe(JSON.stringify(value));
        },
      ),
    );
  });
});

describe('as bytes', () => {
  test('it is the text in UTF-8', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value);
        expect(Buffer.from(canonicalBytes(value)).equals(Buffer.from(text))).toBe(true);
      }),
    );
  });

  test.each([
    ['text', 'x'],
    ['text of two bytes a letter', 'é'],
    ['text of three', '€'],
    ['text with escapes', '\n'],
    ['text with escapes of six letters', '\u0001'],
    ['lone surrogates', '\ud800'],
  ])('megabytes of %s are written whole, also among others', (_name, unit) => {
    const long = unit.repeat(1_500_000);
    const value = { b: [long, 1, long], a: long, c: 'short' };
    expect(canonicalJson(value)).toBe(JSON.stringify({ a: long, b: [long, 1, long], c: 'short' }));
    expect(canonicalJson(value.c)).toBe('"short"');
  });
});
