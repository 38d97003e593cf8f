import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalBytes, canonicalJson } from './canonical-json.ts';
import type { JsonValue } from './json.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;

/** Reverses the members of every object. */
function reversed(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(reversed);
  const members = Object.entries(value).reverse();
  return Object.fromEntries(members.map(([key, member]) => [key, reversed(member)]));
}

describe('canonical JSON', () => {
  test('sorts keys at every level, and keeps the order of arrays', () => {
    const value = { b: [3, 1, { z: 1, a: 2 }], a: null };
    expect(canonicalJson(value)).toBe('{"a":null,"b":[3,1,{"a":2,"z":1}]}');
  });

  test('sorts keys by UTF-16 code units (RFC 8785)', () => {
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
    ['{"__proto__":1}', '{}'],
    ['1e400', '-1e400'],
    ['1e400', '"Infinity"'],
    ['1e400', 'null'],
    ['"\\ud800"', '"\\ud801"'],
    ['"\\ud800"', '"\\ufffd"'],
    ['"é"', '"e\\u0301"'],
  ])('writes %s and %s differently', (one, other) => {
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

  test('is independent of the order of keys', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  test('contains no white space outside of strings', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(value).replaceAll(/"(?:[^"\\]|\\.)*"/g, '')).not.toMatch(/\s/);
      }),
    );
  });
});

describe('equals a plain implementation with sort and JSON.stringify', () => {
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
        // Like JSON.parse, this makes `__proto__` an ordinary member.
        (members) => Object.fromEntries(members) as JsonValue,
      ),
    ),
  }));

  /** The plain implementation. */
  function sorted(value: JsonValue): string {
    if (value === null || typeof value !== 'object') return JSON.stringify(value);
    if (Array.isArray(value)) return `[${(value as readonly JsonValue[]).map(sorted).join(',')}]`;
    const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${sorted(member)}`).join(',')}}`;
  }

  test('for any value, before and after its shapes are cached', () => {
    fc.assert(
      fc.property(value, (any) => {
        expect(canonicalJson(any)).toBe(sorted(any));
        expect(canonicalJson(any)).toBe(sorted(any));
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});

describe('strings and numbers', () => {
  test('are written as JSON.stringify writes them, lone surrogates included', () => {
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

describe('canonicalBytes', () => {
  test('returns the text in UTF-8', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value);
        expect(Buffer.from(canonicalBytes(value)).equals(Buffer.from(text))).toBe(true);
      }),
    );
  });

  test.each([
    ['ASCII', 'x'],
    ['two-byte characters', 'é'],
    ['three-byte characters', '€'],
    ['short escapes', '\n'],
    ['six-character escapes', '\u0001'],
    ['lone surrogates', '\ud800'],
  ])('grows for megabytes of %s, alone and among other values', (_name, unit) => {
    const long = unit.repeat(1_500_000);
    const value = { b: [long, 1, long], a: long, c: 'short' };
    expect(canonicalJson(value)).toBe(JSON.stringify({ a: long, b: [long, 1, long], c: 'short' }));
    expect(canonicalJson(value.c)).toBe('"short"');
  });
});
