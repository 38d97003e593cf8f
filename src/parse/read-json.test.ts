import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeJsonText, readJson } from './read-json.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';

const messageOf = (text: string): string | undefined => {
  const result = readJson(Buffer.from(text));
  return result.ok ? undefined : result.message;
};

describe('the message about a body that is not JSON', () => {
  test.each([
    ['{', 'it ends too early, at line 1, column 2'],
    ['{"a":1', 'it ends too early, at line 1, column 7'],
    ['"abc', 'it ends too early, at line 1, column 5'],
    ['tru', 'it ends too early'],
    ['[1 2]', "expected ',' or ']' after array element at line 1, column 4"],
    ['01', 'unexpected number at line 1, column 2'],
    ['{} x', 'unexpected non-whitespace character at line 1, column 4'],
    ["{'a':1}", "expected property name or '}' at line 1, column 2"],
    ['{\n  "a": 1,\n  b: 2\n}', 'expected double-quoted property name at line 3, column 3'],
    ['["a\nb"]', 'bad control character in string literal at line 1, column 4'],
    ['["a\\x"]', 'bad escaped character at line 1, column 5'],
    ['{"a":}', 'unexpected character'],
    ['<html>', 'unexpected character'],
  ])('of %j is: %s', (text, message) => {
    expect(messageOf(text)).toBe(`The body is not JSON: ${message}`);
  });

  test('quotes nothing of the body, not even what looks like a message of JSON.parse', () => {
    const secret = fc.constantFrom('Q7', 'Q7 in JSON at position 3 (line 1 column 4)', '"Q7" at position 1');
    const around = fc.array(fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '1', 'null', '\\', '\n'));
    fc.assert(
      fc.property(around, secret, around, (before, body, after) => {
        const message = messageOf(`${before.join('')}${body}${after.join('')}`) ?? '';
        expect(message).not.toContain('Q7');
        expect(message.length).toBeLessThan(150);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test('stays short for a string or a number of megabytes', () => {
    for (const text of [`["${'a'.repeat(4_000_000)}`, `[${'1'.repeat(4_000_000)}`])
      expect(messageOf(text)).toMatch(/: it ends too early, at line 1, column 400000\d$/);
  });
});

describe('decodeJsonText', () => {
  test('returns well-formed text unchanged, NUL included', () => {
    // Buffer replaces lone surrogates, which UTF-8 cannot encode.
    const text = fc.string({ unit: 'binary' }).map((drawn) => Buffer.from(`"${drawn}`).toString());
    fc.assert(
      fc.property(text, (sent) => {
        expect(decodeJsonText(new TextEncoder().encode(sent))).toBe(sent);
      }),
    );
  });

  test('drops one byte order mark; a second is text', () => {
    expect(decodeJsonText(Buffer.from('\ufeff{}'))).toBe('{}');
    expect(decodeJsonText(Buffer.from('\ufeff\ufeff{}'))).toBe('\ufeff{}');
  });

  test.each([
    ['a lone continuation byte', [0x80]],
    ['a cut sequence', [0xe2, 0x82]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a code point beyond the last', [0xf4, 0x90, 0x80, 0x80]],
    ['Latin-1', [0x22, 0xe9, 0x22]],
    ['UTF-16 with its mark', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('rejects %s', (_name, bytes) => {
    expect(decodeJsonText(Uint8Array.from(bytes))).toBeNull();
  });
});
