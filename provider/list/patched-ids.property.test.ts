import fc from 'fast-check';
import { expect, test } from 'vitest';
import { patchedIds } from './patched-ids.ts';

const id = fc.integer({ min: 1, max: 40 });
const ids = fc.uniqueArray(id).map((drawn) => drawn.sort((one, other) => one - other));

test('a patched list is what reading it anew would be', () => {
  fc.assert(
    fc.property(ids, ids, ids, (before, changed, belonging) => {
      const matching = new Set(changed.filter((each) => belonging.includes(each)));

      const patched = patchedIds(Float64Array.from(before), changed, matching);

      const unchanged = before.filter((each) => !changed.includes(each));
      expect([...patched]).toEqual([...unchanged, ...matching].sort((one, other) => one - other));
    }),
  );
});

test('where nothing is different it is the same list', () => {
  const before = Float64Array.of(2, 5);

  expect(patchedIds(before, [2, 3], new Set([2]))).toBe(before);
});
