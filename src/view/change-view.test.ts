import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../event/stored-event.ts';
import { canonicalJson } from '../kernel/json/canonical-json.ts';
import type { JsonValue } from '../kernel/json/json.ts';
import { testEvent } from '../testing/test-event.ts';
import { changeViews, type ChangeView } from './change-view.ts';
import { specification } from '../contract/specification.ts';

const event = (data: JsonValue): StoredEvent => ({ ...(testEvent('charge.updated') as StoredEvent), data });

const changes = async (before: JsonValue, after: JsonValue): Promise<readonly ChangeView[]> =>
  (await changeViews(event(before), event(after), { unmask: true, contract: specification })).changes;

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
  ])('from %j to %j is %j', async (before, after, expected) => {
    expect(await changes(before, after)).toEqual(expected);
  });

  it('treats a member named __proto__ as any other', async () => {
    const before = JSON.parse('{"__proto__":{"a":1}}') as JsonValue;
    const after = JSON.parse('{"__proto__":{"a":2}}') as JsonValue;
    expect(await changes(before, after)).toEqual([{ path: 'data.__proto__.a', from: 1, to: 2 }]);
    expect(await changes({}, after)).toHaveLength(1);
    expect(await changes({}, { constructor: 1 })).toEqual([{ path: 'data.constructor', to: 1 }]);
  });

  it('lists a masked field that changed, with its masked values', async () => {
    const before = testEvent('traffic-violation.indication.updated', {
      data: { name: 'Ana', vars: { fleet: '1' }, status: 'pending' },
    }) as StoredEvent;
    const after = testEvent('traffic-violation.indication.updated', {
      data: { name: 'Bia', vars: { fleet: '2' }, status: 'review' },
    }) as StoredEvent;
    const shown = await changeViews(before, after, { unmask: false, contract: specification });
    expect(shown.changes).toEqual([
      { path: 'data.status', from: 'pending', to: 'review' },
      { path: 'data.name', from: '***', to: '***' },
      { path: 'data.vars.fleet', from: '***', to: '***' },
    ]);
  });

  it('ends a masked path at the first name that is none of the contract and no identifier', async () => {
    const of = (holders: JsonValue) =>
      testEvent('company.updated', { data: { holders } as never }) as StoredEvent;
    const [before, after] = [
      of({ 'Ana Maria da Silva 52998224725': { share: 1 }, 'Bia Souza': 1, total: 2 }),
      of({ 'Ana Maria da Silva 52998224725': { share: 2 }, 'Rui Lima': 1, total: 3 }),
    ];
    const masked = await changeViews(before, after, { unmask: false, contract: specification });
    expect(masked.changes).toEqual([
      { path: 'data.holders.***', from: '***', to: '***' },
      { path: 'data.holders.total', from: '***', to: '***' },
      { path: 'data.holders.***', from: '***' },
    ]);
    const unmasked = await changeViews(before, after, { unmask: true, contract: specification });
    expect(unmasked.changes.map(({ path }) => path)).toContain(
      'data.holders.Ana Maria da Silva 52998224725.share',
    );
  });

  it('lists the first and counts the others, ten thousand at most', async () => {
    const list = (by: number, size: number) => event(Array.from({ length: size }, (_, at) => at + by));
    const of = (size: number) =>
      changeViews(list(0, size), list(1, size), { unmask: true, contract: specification }, 3);
    expect(await of(2)).toMatchObject({ more: 0 });
    const some = await of(50);
    expect(some.changes.map(({ path }) => path)).toEqual(['data.0', 'data.1', 'data.2']);
    expect(some.more).toBe(47);
    expect((await of(20_000)).more).toBe(10_000);
  });

  const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;

  it('is empty exactly when they are equal, in any order of keys', async () => {
    await fc.assert(
      fc.asyncProperty(json, json, async (before, after) => {
        expect(await changes(before, before)).toEqual([]);
        expect((await changes(before, after)).length === 0).toBe(
          canonicalJson(before) === canonicalJson(after),
        );
      }),
    );
  });

  it('is symmetric, with from and to swapped', async () => {
    const turned = ({ path, ...values }: ChangeView) => ({
      path,
      ...('to' in values && { from: values.to }),
      ...('from' in values && { to: values.from }),
    });
    const byPath = (one: ChangeView, other: ChangeView) => (one.path < other.path ? -1 : 1);
    await fc.assert(
      fc.asyncProperty(json, json, async (before, after) => {
        const there = (await changes(before, after)).map(turned);
        expect((await changes(after, before)).toSorted(byPath)).toEqual(there.toSorted(byPath));
      }),
    );
  });
});
