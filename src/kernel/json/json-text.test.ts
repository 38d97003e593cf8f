import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeJsonText } from './json-text.ts';

test('well-formed text comes back as it was, NUL and all', () => {
  // Through a buffer, which turns lone surrogates into what they cannot be sent as.
  const text = fc.string({ unit: 'binary' }).map((drawn) => Buffer.from(`"${drawn}`).toString());
  fc.assert(
    fc.property(text, (sent) => {
      expect(decodeJsonText(new TextEncoder().encode(sent))).toBe(sent);
    }),
  );
});

test('one byte order mark is dropped, a second is text', () => {
  expect(decodeJsonText(Buffer.from('\ufeff{}'))).toBe('{}');
  expect(decodeJsonText(Buffer.from('\ufeff\ufeff{}'))).toBe('\ufeff{}');
});

test.each([
  ['a lone continuation byte', [0x80]],
  ['a cut sequence', [0xe2, 0x82]],
  ['an overlong slash', [0xc0, 0xaf]],
  ['an encoded surrogate', [0xed, 0xa0, 0x80]],
  ['a point beyond the last', [0xf4, 0x90, 0x80, 0x80]],
  ['Latin-1', [0x22, 0xe9, 0x22]],
  ['UTF-16 with its mark', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
])('%s is refused, not replaced', (_name, bytes) => {
  expect(() => decodeJsonText(Uint8Array.from(bytes))).toThrow(TypeError);
});
