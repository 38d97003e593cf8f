import { describe, expect, test } from 'vitest';
import { customEnvelope } from '../../../handle/kinds/custom-envelope.ts';
import { applySettings, checkPaths } from './apply-settings.ts';

const body = Buffer.from('{ "type": "a", "data": {"id": 1, "list": [1, 2]} }');

function set(...settings: string[]): unknown {
  return JSON.parse(Buffer.from(applySettings(body, settings, 7)).toString());
}

describe('--set', () => {
  test('leaves the bytes as they are without changes', () => {
    expect(applySettings(body, [], 1)).toBe(body);
  });

  test.each([
    ['data.id=9', { id: 9, list: [1, 2] }],
    ['data.id=09', { id: '09', list: [1, 2] }],
    ['data.id="9"', { id: '9', list: [1, 2] }],
    ['data.id=null', { id: null, list: [1, 2] }],
    ['data.id={"a":[true]}', { id: { a: [true] }, list: [1, 2] }],
    ['data.id=', { id: '', list: [1, 2] }],
    ['data.id=a=b', { id: 'a=b', list: [1, 2] }],
    ['data.id={n}', { id: 7, list: [1, 2] }],
    ['data.id=uid-{n}-{n}', { id: 'uid-7-7', list: [1, 2] }],
    ['data.list.1=5', { id: 1, list: [1, 5] }],
    ['data.new.deep=1', { id: 1, list: [1, 2], new: { deep: 1 } }],
    ['data.id.deep=1', { id: { deep: 1 }, list: [1, 2] }],
  ])('applies %s', (setting, data) => {
    expect(set(setting)).toEqual({ type: 'a', data });
  });

  test('digits stay text where the body has text, and are a number elsewhere', () => {
    const texts = Buffer.from('{ "type": "a", "data": {"tax_id": "11444777000161", "id": 1} }');
    const changed = applySettings(texts, ['data.tax_id=11222333000181', 'data.id=2', 'data.other=3'], 1);
    expect(JSON.parse(Buffer.from(changed).toString())).toEqual({
      type: 'a',
      data: { tax_id: '11222333000181', id: 2, other: 3 },
    });
  });

  test('changes no other digit', () => {
    const long = Buffer.from('{"data":{"id":738529527931269425,"text":"738529527931269425"}}');
    const changed = Buffer.from(
      applySettings(long, ['data.ref=738529527931269426', 'data.n=1'], 1),
    ).toString();
    expect(changed).toBe(
      '{"data":{"id":738529527931269425,"text":"738529527931269425","ref":738529527931269426,"n":1}}',
    );
  });

  test('applies changes in order and never changes a prototype', () => {
    expect(set('type=b', 'type=c')).toMatchObject({ type: 'c' });
    expect(JSON.stringify(set('data.__proto__.polluted=1'))).toContain('"__proto__":{"polluted":1}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test.each(['data.id', '=1'])('rejects %s', (setting) => {
    expect(() => set(setting)).toThrow('path=value');
  });

  test.each([
    ['data', 'event.payload', 'event.payload'],
    ['payload.id', 'event.payload', 'event.payload.id'],
    ['event.payload.id', 'event.payload', undefined],
    ['event.name', 'event.payload', undefined],
    ['event', 'event.payload', undefined],
    ['event.id', 'event.payload', 'event.payload.id'],
    ['id', 'data', 'data.id'],
    ['anything', '', undefined],
  ])('checks %s against the envelope with data at "%s"', (path, dataPath, meant) => {
    const envelope = customEnvelope({ type: 'event.name', data: dataPath }, []);
    const check = () => {
      checkPaths([`${path}=1`], 'shop', envelope);
    };
    if (meant === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(`did you mean ${meant}?`);
  });

  test('knows no path of an envelope that functions read', () => {
    const envelope = customEnvelope({ type: 'name', data: () => null }, []);
    expect(() => {
      checkPaths(['anything=1'], 'shop', envelope);
    }).not.toThrow();
  });

  test('rejects a body that is not a JSON object', () => {
    for (const text of ['{broken', '7', 'null'])
      expect(() => applySettings(Buffer.from(text), ['a=1'], 1)).toThrow('JSON object');
  });
});
