import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../event/stored-event.ts';
import { canonicalJson } from '../kernel/json/canonical-json.ts';
import type { JsonValue } from '../kernel/json/json.ts';
import { testEvent } from '../testing/test-event.ts';
import { changeViews, type ChangeView } from './change-view.ts';
import { specification } from '../contract/specification.ts';

const event = (data: JsonValue): StoredEvent => ({ ...(testEvent('charge.updated') as StoredEvent), data });

const changes = (before: JsonValue, after: JsonValue): ChangeView[] =>
  changeViews(event(before), event(after), { unmask: true, contract: specification });

describe('changes between two payloads', () => {
  it.each<[JsonValue, JsonValue, ChangeView[]]>([
    [{ a: 1 }, { a: 1 }, []],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, []],
    [{ a: 1 }, { a: 2 }, [{ path: 'data.a', from: 1, to: 2 }]],
    [{ a: { b: { c: 1 } } }, { a: { b: { c: 2 } } }, [{ path: 'data.a.b.c', from: 1, to: 2 }]],
    [{}, { a: null }, [{ path: 'data.a', to: null }]],
    [{ a: null }, {}, [{ path: 'data.a', from: null }]],
    [{ a: null }, { a: { b: 1 } }, [{ path: 'data.a', from: null, to: { b: 1 } }]],
    [{ a: { b: 1 } }, { a: 'x' }, [{ path: 'data.a', from: { b: 1 }, to: 'x' }]],
    [{ a: [] }, { a: {} }, [{ path: 'data.a', from: [], to: {} }]],
    [
      { a: [1, 2] },
      { a: [1, 3, 4] },
      [
        { path: 'data.a.1', from: 2, to: 3 },
        { path: 'data.a.2', to: 4 },
      ],
    ],
    [{ a: 1 }, { a: '1' }, [{ path: 'data.a', from: 1, to: '1' }]],
    [1, 2, [{ path: 'data', from: 1, to: 2 }]],
  ])('from %j to %j is %j', (before, after, expected) => {
    expect(changes(before, after)).toEqual(expected);
  });

  it('treats a member named __proto__ as any other', () => {
    const before = JSON.parse('{"__proto__":{"a":1}}') as JsonValue;
    const after = JSON.parse('{"__proto__":{"a":2}}') as JsonValue;
    expect(changes(before, after)).toEqual([{ path: 'data.__proto__.a', from: 1, to: 2 }]);
    expect(changes({}, after)).toHaveLength(1);
    expect(changes({}, { constructor: 1 })).toEqual([{ path: 'data.constructor', to: 1 }]);
  });

  it('lists a masked field that changed, with its masked values', () => {
    const before = testEvent('traffic-violation.indication.updated', {
      data: { name: 'Ana', vars: { fleet: '1' }, status: 'pending' },
    }) as StoredEvent;
    const after = testEvent('traffic-violation.indication.updated', {
      data: { name: 'Bia', vars: { fleet: '2' }, status: 'review' },
    }) as StoredEvent;
    expect(changeViews(before, after, { unmask: false, contract: specification })).toEqual([
      { path: 'data.status', from: 'pending', to: 'review' },
      { path: 'data.name', from: '***', to: '***' },
      { path: 'data.vars.fleet', from: '***', to: '***' },
    ]);
  });

  const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;

  it('is empty exactly when they are equal, in any order of keys', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(changes(before, before)).toEqual([]);
        expect(changes(before, after).length === 0).toBe(canonicalJson(before) === canonicalJson(after));
      }),
    );
  });

  it('is symmetric, with from and to swapped', () => {
    const turned = ({ path, ...values }: ChangeView) => ({
      path,
      ...('to' in values && { from: values.to }),
      ...('from' in values && { to: values.from }),
    });
    const byPath = (one: ChangeView, other: ChangeView) => (one.path < other.path ? -1 : 1);
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(changes(after, before).sort(byPath)).toEqual(changes(before, after).map(turned).sort(byPath));
      }),
    );
  });
});
