import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemberOrder } from './member-order.ts';

const sorted = (names: readonly string[]) => {
  const keys = [...names].sort();
  return { keys, prefixes: keys.map((key) => `${JSON.stringify(key)}:`) };
};

describe('member names', () => {
  test('are sorted by UTF-16 code units, as RFC 8785 does', () => {
    const { keys } = createMemberOrder()(['\u{1f600}', 'b', 'B', '\ufb33', 'a', '1', '10', '']);
    expect(keys).toEqual(['', '1', '10', 'B', 'a', 'b', '\u{1f600}', '\ufb33']);
  });

  test('with the same length, first and last, but not the same, are not taken for known', () => {
    const order = createMemberOrder();
    order(['a', 'x', 'z']);
    expect(order(['a', 'b', 'z']).keys).toEqual(['a', 'b', 'z']);
    expect(order(['a', 'x', 'z']).keys).toEqual(['a', 'x', 'z']);
  });

  test('come out as if nothing was remembered, whatever came before', () => {
    const names = fc.uniqueArray(fc.oneof(fc.constantFrom('a', 'b', 'c', 'd'), fc.string()), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(fc.array(names, { maxLength: 40 }), (objects) => {
        const order = createMemberOrder();
        for (const arrived of objects) expect(order(arrived)).toMatchObject(sorted(arrived));
      }),
    );
  });

  test('of more shapes than are remembered are still sorted', () => {
    const order = createMemberOrder();
    for (let shape = 0; shape < 2_000; shape += 1)
      expect(order([`k${String(shape)}`, 'a']).keys).toEqual(['a', `k${String(shape)}`]);
  });
});
