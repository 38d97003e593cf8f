import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemberOrder, type MemberOrder } from './member-order.ts';

type Order = ReturnType<typeof createMemberOrder>;

/** The names in canonical order. */
function inOrder(order: Order, names: readonly string[]): readonly (string | undefined)[] {
  return order(names).indexes.map((index) => names[index]);
}

function expectSorted(order: Order, names: readonly string[]): void {
  const sorted = [...names].sort();
  expect(inOrder(order, names)).toEqual(sorted);
  expect(prefixesOf(order(names))).toEqual(
    sorted.map((name, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`),
  );
}

function prefixesOf({ prefixes }: MemberOrder): readonly string[] {
  return prefixes.map((prefix) => Buffer.from(prefix).toString());
}

describe('createMemberOrder', () => {
  test('does not reuse the order of other names with the same count, first and last name', () => {
    const order = createMemberOrder();
    order(['z', 'x', 'a']);
    expect(inOrder(order, ['z', 'b', 'a'])).toEqual(['a', 'b', 'z']);
    expect(inOrder(order, ['z', 'x', 'a'])).toEqual(['a', 'x', 'z']);
  });

  test('returns the same order with and without a cache', () => {
    const names = fc.uniqueArray(fc.oneof(fc.constantFrom('a', 'b', 'c', 'd'), fc.string()), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(fc.array(names, { maxLength: 40 }), (objects) => {
        const order = createMemberOrder();
        for (const object of objects) expectSorted(order, object);
      }),
    );
  });

  test('sorts more shapes than the cache holds', () => {
    const order = createMemberOrder();
    for (let shape = 0; shape < 2_000; shape += 1) {
      expectSorted(order, [`k${String(shape)}`, 'a']);
      expectSorted(order, ['b', `k${String(shape)}`]);
    }
  });

  test('caches the shapes of webhooks, and none with long or many names', () => {
    const order = createMemberOrder();
    const isCached = (names: readonly string[]) => order(names) === order([...names]);
    expect(isCached(['id', 'status', 'amount'])).toBe(true);
    expect(isCached([])).toBe(true);
    expect(isCached(['k'.repeat(100)])).toBe(false);
    expect(isCached(Array.from({ length: 100 }, (_, index) => `k${String(index)}`))).toBe(false);
  });
});
