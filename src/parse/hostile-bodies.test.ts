/** Bodies made to break a parser: none does, and none is mistaken for another. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ParsedEvent } from '../event/event.ts';
import type { RejectedDelivery } from '../event/delivery.ts';
import { canonicalJson } from '../kernel/json/canonical-json.ts';
import { sampleData } from '../testing/sample-data.ts';
import { verifiedDelivery } from '../../test/support/verified-delivery.ts';
import { createParse } from './parse.ts';
import { specification } from '../contract/specification.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';

const parse = createParse(specification);
function parsing(body: string | Uint8Array): ParsedEvent | RejectedDelivery {
  return parse(verifiedDelivery(body));
}

/** An envelope of an unrecognized kind, which accepts any data. */
const envelope = (data: string): string => `{"type":"any.thing","data":${data}}`;
const valid = JSON.stringify({ type: 'charge.updated', data: sampleData('charge.updated') });

describe('malformed bodies', () => {
  test.each([
    ['an empty body', '', 'The body is empty'],
    ['white space', ' \r\n\t', 'The body is empty'],
    [
      'half an envelope',
      valid.slice(0, 100),
      'The body is not JSON: it ends too early, at line 1, column 101',
    ],
    ['a NUL', '\u0000', 'The body is not JSON: unexpected character'],
  ])('%s', (_name, body, message) => {
    expect(parsing(body)).toMatchObject({ reason: 'malformed', kind: null, message, issues: [] });
  });

  test('bytes that are not UTF-8, anywhere', () => {
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

  test('64 levels are allowed, including the envelope', () => {
    expect(parsing(nested(64)).stage).toBe('parsed');
  });

  test.each([65, 5_000, 100_000])('%i levels are malformed', (levels) => {
    const message = 'The body is nested deeper than 64 levels';
    expect(parsing(nested(levels))).toMatchObject({ reason: 'malformed', message });
    expect(parsing('{"a":'.repeat(levels))).toMatchObject({ reason: 'malformed', message });
  });

  test('brackets in strings do not count', () => {
    expect(parsing(envelope(`"${'[{'.repeat(1_000)}\\"[["`)).stage).toBe('parsed');
  });
});

describe('unusual JSON', () => {
  test.each([
    ['a whole number that a double would round', '9007199254740993', '9007199254740993'],
    ['the last of two keys', '{"a":1,"a":2}', { a: 2 }],
    ['a lone surrogate', '"\\ud800"', '\ud800'],
    ['an escaped NUL', '"\\u0000"', '\u0000'],
    ['minus zero', '-0', -0],
  ])('is accepted: %s', (_name, data, value) => {
    expect(parsing(envelope(data))).toMatchObject({ stage: 'parsed', data: value });
  });

  test('a byte order mark is accepted', () => {
    expect(parsing(`\ufeff${valid}`)).toMatchObject({ stage: 'parsed', kind: 'charge.updated' });
  });

  test('an id that no double holds exactly is rejected: it would become another id', () => {
    const body = valid.replace('"id":8801', '"id":9007199254740993');
    expect(parsing(body)).toMatchObject({ reason: 'invalid', issues: [{ path: 'data.id' }] });
  });

  test('a member named __proto__ is data, and sets no prototype', () => {
    const body = valid.replace('"id":8801', '"id":8801,"__proto__":{"polluted":true}');
    const event = parsing(body) as ParsedEvent;
    expect(event.stage).toBe('parsed');
    expect(Object.getPrototypeOf(event.data)).toBe(Object.prototype);
    expect(Object.keys(event.data as object)).toContain('__proto__');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('a field in __proto__ does not replace a missing field', () => {
    const body = valid.replace('"id":8801', '"__proto__":{"id":8801}');
    expect(parsing(body)).toMatchObject({ reason: 'invalid', issues: [{ path: 'data.id' }] });
  });

  test('strings of megabytes in all fields are rejected with a short message', () => {
    const long = '1'.repeat(2_000_000);
    const data = Object.fromEntries(Object.keys(sampleData('charge.updated')).map((key) => [key, long]));
    const result = parsing(JSON.stringify({ type: 'charge.updated', data }));
    expect(result).toMatchObject({ reason: 'invalid' });
    expect(JSON.stringify({ ...result, delivery: null }).length).toBeLessThan(5_000);
  });
});

describe('parse decides and does not throw for', () => {
  function assertDecided(body: string | Uint8Array): void {
    const result = parsing(body);
    // A parsed event can be identified: its canonical JSON exists.
    if (result.stage === 'parsed') expect(canonicalJson(result.data)).not.toBe('');
    else expect(['malformed', 'invalid']).toContain(result.reason);
  }

  test('any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), assertDecided), { numRuns: propertyRuns(500) });
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

  test('an envelope cut anywhere, which is never an event', () => {
    const bytes = Buffer.from(valid);
    for (let length = 0; length < bytes.length; length += 1)
      expect(parsing(bytes.subarray(0, length))).toMatchObject({ reason: 'malformed' });
  });
});
