import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { latin1Text } from './latin-1-text.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
/** The text of UTF-8, or null where it is not. */
function wholeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

test('text up to U+00FF comes back as it was, wherever in a buffer it lies', () => {
  const runs = fc.array(
    fc.oneof(
      fc.string({ unit: 'binary-ascii', maxLength: 20 }),
      fc.string({ unit: fc.integer({ min: 0, max: 0xff }).map((code) => String.fromCharCode(code)) }),
    ),
  );
  fc.assert(
    fc.property(runs, fc.nat({ max: 9 }), (drawn, offset) => {
      const sent = drawn.join('');
      const around = Buffer.concat([Buffer.alloc(offset, 0xff), encode(sent), Buffer.alloc(9, 0xff)]);
      expect(latin1Text(around.subarray(offset, around.length - 9))).toBe(sent);
    }),
  );
});

test('of any bytes, nothing is told but what they say in UTF-8', () => {
  // Among them the ends and beginnings of what two bytes can be.
  const byte = fc.oneof(
    fc.constantFrom(0x22, 0x7f, 0x80, 0xbf, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xe2),
    fc.integer({ min: 0, max: 0xff }),
  );
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 24 }), (drawn) => {
      const bytes = Uint8Array.from(drawn);
      const text = wholeText(bytes);
      const fits = text !== null && !/[^\u0000-\u00ff]/u.test(text);
      expect(latin1Text(bytes)).toBe(fits ? text : null);
    }),
    { numRuns: 2_000 },
  );
});

describe('left to others is', () => {
  test.each([
    ['a character beyond U+00FF', encode('Preço: 5 €')],
    ['a byte order mark', encode('\ufeff{}')],
    ['a cut character', encode('é').subarray(0, 1)],
    ['Latin-1 itself', Uint8Array.of(0x22, 0xe9, 0x22)],
    ['ASCII in two bytes', Uint8Array.of(0xc1, 0xa1)],
    ['what is too long', new Uint8Array(64 * 1024 + 1)],
  ])('%s', (_name, bytes) => {
    expect(latin1Text(bytes)).toBeNull();
  });
});

test('a text as long as there is room for, of two bytes a letter, fits', () => {
  const text = 'ã'.repeat(32 * 1024);
  expect(latin1Text(encode(text))).toBe(text);
});
