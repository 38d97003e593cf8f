import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from './json.ts';
import { parseJson } from './parse-json.ts';
import { isSentNumber, withSentNumbers } from './sent-numbers.ts';

const sent = (text: string): string => JSON.stringify(withSentNumbers(parseJson(text), text));

describe('numbers of a text', () => {
  it.each([
    '{"id":12345678901234567890,"amount":1.10}',
    '[1.0,-0,1e3,1E+3,0.1000,10]',
    '{"a":{"b":[{"c":0.30}]},"d":"1.10"}',
    '{"__proto__":1.10,"":2.0}',
    '{"a\\"}\\u0031":1.50,"b":"x,]}\\\\"}',
    '123456789.123456789',
    '[[],{},[[1.0]]]',
  ])('stay as they were sent: %s', (text) => {
    expect(sent(text)).toBe(JSON.stringify(parseJson(text)) === text ? text : withoutEscapes(text));
  });

  it('are those of the last member of the same name', () => {
    expect(sent('{"a":1.0,"a":1,"b":2.0}')).toBe('{"a":1,"b":2.0}');
    expect(sent('{"a":1,"a":1.0}')).toBe('{"a":1.0}');
  });

  it('do not return where another value is shown instead', () => {
    const text = '{"name":1.10,"list":[1.10,2.50],"gone":3.10}';
    const shown: JsonValue = { name: '***', list: ['***', 2.5] };
    expect(JSON.stringify(withSentNumbers(shown, text))).toBe('{"name":"***","list":["***",2.50]}');
  });

  it('change nothing else, in any text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(3), (value, space) => {
        const text = JSON.stringify([value, 1e21], null, space);
        const parsed = parseJson(text);
        expect(JSON.parse(JSON.stringify(withSentNumbers(parsed, text)))).toEqual(parsed);
      }),
    );
  });

  it('stay in a text with a string of nine megabytes, with and without escapes', () => {
    for (const long of ['x'.repeat(9_000_000), '\\"'.repeat(4_500_000), '\\\\'.repeat(4_500_000)]) {
      const text = `{"long":"${long}","a":1.10}`;
      expect(sent(text).endsWith('"a":1.10}')).toBe(true);
    }
  });

  it('are told apart from objects that look like them', () => {
    expect(isSentNumber({ rawJSON: '1.10' })).toBe(false);
    expect(isSentNumber(withSentNumbers(1.1, '1.10'))).toBe(true);
  });
});

/** `JSON.stringify` writes keys without unnecessary escapes. */
function withoutEscapes(text: string): string {
  return text.replaceAll('\\u0031', '1');
}
