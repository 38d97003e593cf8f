import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from './parse-json.ts';
import { sentJson } from './sent-numbers.ts';

/** Writes JSON with every character of every key escaped, and with unusual white space. */
function escapedJson(value: unknown): string {
  if (Array.isArray(value)) return `[ ${value.map(escapedJson).join('\t,')}\n]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `\r${escaped(key)} :${escapedJson(member)} `);
  return `{${members.join(', ')}}`;
}

function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}

describe('a key with an escape is read correctly, whatever was parsed before', () => {
  test.each([
    ['{"h":[],"\\\\":0}', '{"h":1,"\\"":2}', 'h', '"'],
    ['{"i":[],"\\\\":0}', '{"i":1,"\\n":2}', 'i', '\n'],
    ['{"j":[],"xy\\\\":0}', '{"j":1,"xy\\n":2}', 'j', 'xy\n'],
    ['{"k":[],"\\\\u0":0}', '{"k":1,"\\u0061bc":2}', 'k', 'abc'],
    ['{"l":[],"\\\\u":0}', '{"l":1,"\\u00e7\\u00e3":2}', 'l', 'çã'],
  ])('after %s', (before, text, first, second) => {
    parseJson(before);
    expect(Object.keys(parseJson(text) as object)).toEqual([first, second]);
  });
});

describe('parseJson', () => {
  // Compares JSON text, which includes the order of members and a member named __proto__.
  test('reads any value, with plain or escaped keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(parseJson(text))).toBe(text);
        expect(JSON.stringify(parseJson(escapedJson(value)))).toBe(text);
      }),
    );
  });

  test.each([
    ['{"\\u0061":1,"a":2,"b":3}', '{"a":2,"b":3}'],
    ['{"a":1,"b":2,"\\u0061":3,"a":4}', '{"a":4,"b":2}'],
    ['{"b":1,"\\u0031":2,"0":3}', '{"0":3,"1":2,"b":1}'],
    ['{"\\u005f_proto__":{"a":1},"b":2,"__proto__":null}', '{"__proto__":null,"b":2}'],
    [
      '{"\\n":"}]\\\\","x":["\\"",{},[],-1.5e-3,true,false,null]}',
      '{"\\n":"}]\\\\","x":["\\"",{},[],-0.0015,true,false,null]}',
    ],
    [' \t\r\n{ "\\/" : [ 1 , [ ] , { } ] } ', '{"/":[1,[],{}]}'],
    ['{"a":"\\\\","b":[{"\\ud800":1}]}', '{"a":"\\\\","b":[{"\\ud800":1}]}'],
  ])('reads %s', (text, same) => {
    expect(JSON.stringify(parseJson(text))).toBe(same);
  });

  test('sets no prototype', () => {
    const parsed = parseJson('{"\\u005f_proto__":{"polluted":1}}') as object;
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    expect(Object.keys(parsed)).toEqual(['__proto__']);
  });

  test.each(['', '{', '{"\\n"}', '{"\\n":1,}', '"\\', '{"\\x":1}'])(
    'throws for text that is not JSON: %s',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );
});

describe('a number is what a double prints, or the text of its digits', () => {
  test.each([
    ['738529527931269425', '738529527931269425'],
    ['-9007199254740993', '-9007199254740993'],
    ['18446744073709551616', '18446744073709551616'],
    ['18446744073709552000', 18446744073709552000],
    ['100000000000000000000', 1e20],
    ['100000000000000000000000', 1e23],
    ['9007199254740991', 9007199254740991],
    ['7.38529527931269425e17', 738529527931269400],
    ['738529527931269425.0', 738529527931269400],
    ['0.1000000000000000055', 0.1],
    ['1e400', Infinity],
    ['9'.repeat(400), Infinity],
    ['-0', -0],
    ['1.0', 1],
    ['"738529527931269425"', '738529527931269425'],
  ])('%s', (text, value) => {
    expect(parseJson(text)).toBe(value);
    expect(parseJson(`{"a":[1,{"b":${text}}],"c":1e999}`)).toEqual({ a: [1, { b: value }], c: Infinity });
  });

  test('and is sent as a number again, beside a text of the same digits', () => {
    const text = '{"a":[738529527931269425,"738529527931269425"],"b":-9007199254740993,"c":[]}';
    expect(sentJson(parseJson(text))).toBe(text);
    expect(sentJson(parseJson('{"a":9007199254740993,"a":"9"}'))).toBe('{"a":"9"}');
    const changed = parseJson('{"a":9007199254740993,"b":9007199254740993}') as { a: string; b: string };
    [changed.a, changed.b] = ['007', '42'];
    expect(sentJson(changed), 'a text in the place of a number is a text').toBe('{"a":"007","b":"42"}');
  });

  test('so no two whole numbers become one', () => {
    const whole = fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n });
    fc.assert(
      fc.property(whole, fc.bigInt({ min: 0n, max: 300n }), (one, more) => {
        const [first, second] = [String(one), String(one + more)].map((text) =>
          JSON.stringify(parseJson(text)),
        );
        expect(first === second).toBe(more === 0n);
      }),
    );
  });
});
