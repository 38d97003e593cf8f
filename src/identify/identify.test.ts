import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { IdentifiedEvent } from '../event/event.ts';
import { parsedEvent } from '../../test/support/verified-delivery.ts';
import { createIdentify } from './identify.ts';
import { specification } from '../contract/specification.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';

const identify = createIdentify(specification, (id) => `keyed ${id}`);

interface Given {
  readonly source?: string;
  readonly messageId?: string | null;
  readonly messageIdTrusted?: boolean;
}

function identifyBody(body: string, given: Given = {}): IdentifiedEvent {
  const { source = 'default', messageId = null, messageIdTrusted = messageId !== null } = given;
  return identify(parsedEvent(body, { source, messageId, messageIdTrusted }));
}

function digestOf(body: string, given?: Given): string {
  return Buffer.from(identifyBody(body, given).digest).toString('hex');
}

const envelope = (data: string, type = 'any.thing'): string => `{"type":"${type}","data":${data}}`;

/** Writes the same JSON in a drawn form: order, white space, escapes and spelling of numbers. */
function write(value: unknown, draw: () => number): string {
  const space = (): string => ['', '', ' ', '\n', '\t\r\n  '][draw() % 5] ?? '';
  const wrap = (text: string): string => space() + text + space();
  if (typeof value === 'string')
    return wrap(`"${Array.from(value, (point) => writeUnit(point, draw)).join('')}"`);
  if (typeof value === 'number') return wrap(writeNumber(value, draw));
  if (value === null || typeof value !== 'object') return wrap(JSON.stringify(value));
  if (Array.isArray(value)) return wrap(`[${value.map((item) => write(item, draw)).join(',')}]`);
  const members = Object.entries(value).map(([key, member]) => ({ key, member, at: draw() }));
  members.sort((one, other) => one.at - other.at);
  return wrap(
    `{${members.map(({ key, member }) => `${write(key, draw)}:${write(member, draw)}`).join(',')}}`,
  );
}

function writeUnit(point: string, draw: () => number): string {
  if (draw() % 3 !== 0) return JSON.stringify(point).slice(1, -1);
  const units = Array.from({ length: point.length }, (_, at) => point.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

function writeNumber(value: number, draw: () => number): string {
  const plain = JSON.stringify(value);
  const whole = /^-?\d+$/.test(plain);
  return [plain, plain, whole ? `${plain}.0` : plain, whole ? `${plain}e0` : plain][draw() % 4] ?? plain;
}

describe('the digest', () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  const draws = fc.infiniteStream(fc.nat());

  test('is equal for all spellings of the same content', () => {
    fc.assert(
      fc.property(json, draws, (data, drawn) => {
        const draw = (): number => drawn.next().value as number;
        const written = write({ type: 'any.thing', data }, draw);
        expect(digestOf(written)).toBe(digestOf(envelope(JSON.stringify(data))));
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  test('differs for different content', () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        const [first, second] = [envelope(JSON.stringify(one)), envelope(JSON.stringify(other))];
        fc.pre(!sameValue(JSON.parse(first), JSON.parse(second)));
        expect(digestOf(first)).not.toBe(digestOf(second));
      }),
    );
  });

  test.each([
    ['another kind', envelope('{}', 'any.thing'), envelope('{}', 'any.other')],
    ['a number and its text', envelope('{"id":1}'), envelope('{"id":"1"}')],
    ['null and nothing', envelope('{"a":null}'), envelope('{}')],
    ['another order in a list', envelope('[1,2]'), envelope('[2,1]')],
    ['a space in a text', envelope('"a"'), envelope('"a "')],
    ['ids that share a double', envelope('{"id":738529527931269425}'), envelope('{"id":738529527931269424}')],
    ['composed and decomposed letters', envelope('"é"'), envelope('"e\\u0301"')],
  ])('differs for %s', (_name, one, other) => {
    expect(digestOf(one)).not.toBe(digestOf(other));
  });

  test('of numbers that a double holds is that of what the double prints', () => {
    const sent =
      '{"a":100000000000000000000,"b":0.1000000000000000055,"c":-0,"d":1.0,"e":1E23,"f":738529527931269400}';
    const printed = '{"a":100000000000000000000,"b":0.1,"c":0,"d":1,"e":1e+23,"f":738529527931269400}';
    const canonical = `{"data":${printed},"source":"default","type":"any.thing"}`;
    expect(digestOf(envelope(sent))).toBe(createHash('sha256').update(canonical).digest('hex'));
  });

  test('ignores members beside type and data', () => {
    expect(digestOf('{"type":"a.b","data":1,"sent_at":"now"}')).toBe(digestOf('{"type":"a.b","data":1}'));
  });

  test('has 32 bytes, and differs by source', () => {
    expect(identifyBody(envelope('{}')).digest).toHaveLength(32);
    expect(digestOf(envelope('{}'), { source: 'one' })).not.toBe(digestOf(envelope('{}'), { source: 'two' }));
  });
});

describe('a message id', () => {
  const idOf = (given: Given) => identifyBody(envelope('{}'), given).messageDigest;

  test('has a digest of its own, beside the digest of the content', () => {
    const [one, other] = [envelope('{"a":1}'), envelope('{"a":2}')];
    const first = identifyBody(one, { messageId: 'msg_1' });
    const second = identifyBody(other, { messageId: 'msg_1' });
    expect(first.messageDigest).not.toBeNull();
    expect(second.messageDigest).toEqual(first.messageDigest);
    expect(first.digest).toEqual(identifyBody(one).digest);
    expect(second.digest).toEqual(identifyBody(other).digest);
  });

  test('has different digests for different sources', () => {
    expect(idOf({ source: 'one', messageId: 'msg_1' })).not.toEqual(
      idOf({ source: 'two', messageId: 'msg_1' }),
    );
    // However source and id are cut.
    expect(idOf({ source: 'a', messageId: 'b-c' })).not.toEqual(idOf({ source: 'a-b', messageId: 'c' }));
  });

  test('is optional, and has no digest unless it is trusted', () => {
    expect(idOf({})).toBeNull();
    expect(idOf({ messageId: 'msg_1', messageIdTrusted: false })).toBeNull();
  });
});

/** Compares JSON values: minus zero equals zero, and key order is ignored. */
function sameValue(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null)
    return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [first, second] = [Object.entries(one), Object.entries(other)];
  const members = new Map(second);
  return (
    first.length === second.length &&
    first.every(([key, member]) => members.has(key) && sameValue(member, members.get(key)))
  );
}
