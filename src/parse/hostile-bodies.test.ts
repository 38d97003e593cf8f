/** Bodies that are meant to break a parser. None does, and none is taken for what it is not. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ParsedEvent } from '../event/parsed-event.ts';
import type { RejectedDelivery } from '../event/rejected-delivery.ts';
import { canonicalJson } from '../kernel/json/canonical-json.ts';
import { sampleData } from '../testing/sample-data.ts';
import { verifiedDelivery } from '../../test/support/verified-delivery.ts';
import { parse } from './parse.ts';

function parsing(body: string | Uint8Array): ParsedEvent | RejectedDelivery {
  return parse(verifiedDelivery(body));
}

/** An envelope of an unknown kind, so that any data is taken. */
const envelope = (data: string): string => `{"type":"any.thing","data":${data}}`;
const valid = JSON.stringify({ type: 'charge.updated', data: sampleData('charge.updated') });

describe('malformed bodies', () => {
  test.each([
    ['nothing', '', 'The body is empty'],
    ['white space', ' \r\n\t', 'The body is empty'],
    [
      'half an envelope',
      valid.slice(0, 100),
      'The body is not JSON: it ends too early, at line 1, column 101',
    ],
    ['a form', 'type=charge.updated', 'The body is not JSON: unexpected character at line 1, column 1'],
    ['a NUL', '\u0000', 'The body is not JSON: unexpected character at line 1, column 1'],
    [
      'a NUL in a string',
      envelope('"\u0000"'),
      'The body is not JSON: unexpected character at line 1, column 29',
    ],
    ['NaN', envelope('NaN'), 'The body is not JSON: unexpected character at line 1, column 28'],
    [
      'two values',
      `${valid} ${valid}`,
      `The body is not JSON: unexpected character at line 1, column ${String(valid.length + 2)}`,
    ],
  ])('%s', (_name, body, message) => {
    expect(parsing(body)).toMatchObject({ reason: 'malformed', kind: null, message, issues: [] });
  });

  test('bytes that are not UTF-8, wherever they are', () => {
    const message = 'The body is not UTF-8';
    for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80]]) {
      const text = Buffer.from(envelope('"?"'));
      const at = text.indexOf('?');
      const body = Buffer.concat([text.subarray(0, at), Buffer.from(bytes), text.subarray(at + 1)]);
      expect(parsing(body)).toMatchObject({ reason: 'malformed', message });
    }
    expect(parsing(Buffer.from(valid, 'utf16le'))).toMatchObject({ reason: 'malformed' });
  });

  test('the message quotes nothing of the body', () => {
    const body = '{"type":"charge.updated","data":{"email":"ana.souza@example.com" "x":1}}';
    expect(JSON.stringify({ ...parsing(body), delivery: null })).not.toContain('ana.souza');
  });
});

describe('depth', () => {
  const nested = (levels: number): string => envelope('['.repeat(levels - 1) + ']'.repeat(levels - 1));

  test('64 levels are allowed, the envelope among them', () => {
    expect(parsing(nested(64)).stage).toBe('parsed');
  });

  test.each([65, 5_000, 100_000])('%i levels are malformed', (levels) => {
    const message = 'The body is nested deeper than 64 levels';
    expect(parsing(nested(levels))).toMatchObject({ reason: 'malformed', message });
    expect(parsing('{"a":'.repeat(levels))).toMatchObject({ reason: 'malformed', message });
  });

  test('brackets in strings are no levels', () => {
    expect(parsing(envelope(`"${'[{'.repeat(1_000)}\\"[["`)).stage).toBe('parsed');
  });
});

describe('JSON at the edge of what it may be', () => {
  test.each([
    ['a whole number that no double holds', '9007199254740993', 9_007_199_254_740_992],
    ['the last of two keys', '{"a":1,"a":2}', { a: 2 }],
    ['a lone surrogate', '"\\ud800"', '\ud800'],
    ['an escaped NUL', '"\\u0000"', '\u0000'],
    ['minus zero', '-0', -0],
  ])('is taken: %s', (_name, data, value) => {
    expect(parsing(envelope(data))).toMatchObject({ stage: 'parsed', data: value });
  });

  test('is refused: a number beyond all doubles', () => {
    expect(parsing(envelope('1e400'))).toMatchObject({ stage: 'rejected', issues: [{ path: 'data' }] });
  });

  test('a byte order mark is tolerated', () => {
    expect(parsing(`\ufeff${valid}`)).toMatchObject({ stage: 'parsed', kind: 'charge.updated' });
  });

  test('an id that no double holds is refused: it would be taken for another', () => {
    const body = valid.replace('"id":8801', '"id":9007199254740993');
    expect(parsing(body)).toMatchObject({ reason: 'invalid', issues: [{ path: 'data.id' }] });
  });

  test('a member called __proto__ is data, and changes no prototype', () => {
    const body = valid.replace('"id":8801', '"id":8801,"__proto__":{"polluted":true}');
    const event = parsing(body) as ParsedEvent;
    expect(event.stage).toBe('parsed');
    expect(Object.getPrototypeOf(event.data)).toBe(Object.prototype);
    expect(Object.keys(event.data as object)).toContain('__proto__');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('what __proto__ holds does not stand in for a missing field', () => {
    const body = valid.replace('"id":8801', '"__proto__":{"id":8801}');
    expect(parsing(body)).toMatchObject({ reason: 'invalid', issues: [{ path: 'data.id' }] });
  });

  test('a string of megabytes in every kind of field is no trouble', () => {
    const long = '1'.repeat(2_000_000);
    const data = Object.fromEntries(Object.keys(sampleData('charge.updated')).map((key) => [key, long]));
    const result = parsing(JSON.stringify({ type: 'charge.updated', data }));
    expect(result).toMatchObject({ reason: 'invalid' });
    expect(JSON.stringify({ ...result, delivery: null }).length).toBeLessThan(5_000);
  });
});

describe('whatever comes, parsing decides and does not throw', () => {
  function assertDecided(body: string | Uint8Array): void {
    const result = parsing(body);
    // What is parsed can be identified: canonical JSON exists.
    if (result.stage === 'parsed') expect(canonicalJson(result.data)).not.toBe('');
    else expect(['malformed', 'invalid']).toContain(result.reason);
  }

  test('any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), assertDecided), { numRuns: 500 });
  });

  test('any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), assertDecided));
  });

  test('any JSON as data of any kind', () => {
    const kinds = fc.constantFrom('charge.updated', 'company.login.failed', 'any.thing');
    fc.assert(
      fc.property(kinds, fc.json(), (type, data) => {
        assertDecided(`{"type":${JSON.stringify(type)},"data":${data}}`);
      }),
    );
  });

  test('an envelope with any one of its bytes flipped', () => {
    const bytes = Buffer.from(valid);
    for (let at = 0; at < bytes.length; at += 1)
      for (const mask of [0x01, 0x20, 0x80, 0xff]) {
        const flipped = Buffer.from(bytes);
        flipped[at] = (flipped[at] ?? 0) ^ mask;
        assertDecided(flipped);
      }
  });

  test('an envelope cut anywhere is never an event', () => {
    const bytes = Buffer.from(valid);
    for (let length = 0; length < bytes.length; length += 1)
      expect(parsing(bytes.subarray(0, length))).toMatchObject({ reason: 'malformed' });
  });
});
