import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { seededRandom } from '../../kernel/random.ts';
import { createIds, drawStoreId, rowId, rowOf } from './ids.ts';

test('parses an event id, or its number alone', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (seed, row) => {
      const ids = createIds(drawStoreId(seededRandom(seed)));
      expect(ids.eventRow(ids.event(row))).toBe(row);
      expect(ids.eventRow(String(row))).toBe(row);
    }),
  );
});

test.each(['', 'abcde2-1', 'abcdef-', 'abcdef-x', 'abcdef-1 ', '-1', '1.5', '1e3', 'q1', '9'.repeat(17)])(
  '%j is no event id of the store abcdef',
  (id) => {
    expect(createIds('abcdef').eventRow(id)).toBeUndefined();
  },
);

test('events from before a restore keep their ids, and their numbers are not found by another id', () => {
  const ids = createIds('cccccc', [
    { storeId: 'aaaaaa', lastEvent: 10 },
    { storeId: 'bbbbbb', lastEvent: 20 },
  ]);

  expect([1, 10, 11, 20, 21].map(ids.event)).toEqual([
    'aaaaaa-1',
    'aaaaaa-10',
    'bbbbbb-11',
    'bbbbbb-20',
    'cccccc-21',
  ]);
  expect(ids.eventRow('aaaaaa-10')).toBe(10);
  expect(ids.eventRow('aaaaaa-11')).toBeUndefined();
  expect(ids.eventRow('cccccc-11')).toBeUndefined();
  expect(ids.eventRow('11')).toBe(11);
});

test('ids of other rows start with a letter', () => {
  expect(rowId('d', 12)).toBe('d12');
  expect(rowOf('d', 'd12')).toBe(12);
  expect(rowOf('d', '12')).toBe(12);
  expect(rowOf('d', 'q12')).toBeUndefined();
  expect(rowOf('d', 'd')).toBeUndefined();
});
