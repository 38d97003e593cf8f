import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemberOrder, type MemberOrder } from './member-order.ts';

type Order = ReturnType<typeof createMemberOrder>;

/** The names in the order they were brought into. */
function inOrder(order: Order, names: readonly string[]): readonly (string | undefined)[] {
  return order(names).places.map((place) => names[place]);
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

describe('member names', () => {
  test('are sorted by UTF-16 code units, as RFC 8785 does', () => {
    const names = ['\u{1f600}', 'b', 'B', '\ufb33', 'a', '1', '10', ''];
    const sorted = ['', '1', '10', 'B', 'a', 'b', '\u{1f600}', '\ufb33'];
    expect(inOrder(createMemberOrder(), names)).toEqual(sorted);
  });

  test('with the same length, first and last, but not the same, are not taken for known', () => {
    const order = createMemberOrder();
    order(['z', 'x', 'a']);
    expect(inOrder(order, ['z', 'b', 'a'])).toEqual(['a', 'b', 'z']);
    expect(inOrder(order, ['z', 'x', 'a'])).toEqual(['a', 'x', 'z']);
  });

  test('come out as if nothing was remembered, whatever came before', () => {
    const names = fc.uniqueArray(fc.oneof(fc.constantFrom('a', 'b', 'c', 'd'), fc.string()), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(fc.array(names, { maxLength: 40 }), (objects) => {
        const order = createMemberOrder();
        for (const arrived of objects) expectSorted(order, arrived);
      }),
    );
  });

  test('of more shapes than are remembered are still sorted', () => {
    const order = createMemberOrder();
    for (let shape = 0; shape < 2_000; shape += 1) {
      expectSorted(order, [`k${String(shape)}`, 'a']);
      expectSorted(order, ['b', `k${String(shape)}`]);
    }
  });

  test('are remembered when they are those of a webhook, not when they would fill the memory', () => {
    const order = createMemberOrder();
    const isRemembered = (names: readonly string[]) => order(names) === order([...names]);
    expect(isRemembered(['id', 'status', 'amount'])).toBe(true);
    expect(isRemembered([])).toBe(true);
    expect(isRemembered(['k'.repeat(100)])).toBe(false);
    expect(isRemembered(Array.from({ length: 100 }, (_, index) => `k${String(index)}`))).toBe(false);
  });
});
