import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  booleanValue,
  conditionsIn,
  dateValue,
  equality,
  filterBy,
  filterParameters,
  idValue,
  instantValue,
  ordering,
  stringValue,
  valueAmong,
} from './filter.ts';

const filters = {
  date: filterBy(dateValue, ordering),
  'company.id': filterBy(idValue, equality),
  'company.external_uid': filterBy(stringValue, equality),
  status: filterBy(valueAmong(['paid', 'overdue']), ['$eq']),
  payable: filterBy(booleanValue, ['$eq']),
  synced_at: filterBy(instantValue, ['$gt']),
};
const schema = z.strictObject(filterParameters(filters));

const read = (parameters: Record<string, string>) => conditionsIn(filters, schema.parse(parameters));

test('declares a parameter for each field and operator', () => {
  expect(Object.keys(schema.shape)).toEqual([
    'filters[date][$eq]',
    'filters[date][$ne]',
    'filters[date][$lt]',
    'filters[date][$lte]',
    'filters[date][$gt]',
    'filters[date][$gte]',
    'filters[company][id][$eq]',
    'filters[company][id][$ne]',
    'filters[company][external_uid][$eq]',
    'filters[company][external_uid][$ne]',
    'filters[status][$eq]',
    'filters[payable][$eq]',
    'filters[synced_at][$gt]',
  ]);
});

test('reads typed values into conditions', () => {
  expect(
    read({
      'filters[company][id][$ne]': '12',
      'filters[company][external_uid][$eq]': '12',
      'filters[payable][$eq]': 'false',
      'filters[date][$lt]': '2026-03-10',
      'filters[date][$gte]': '2026-03-01',
    }),
  ).toEqual([
    { field: 'date', operator: '$lt', value: '2026-03-10' },
    { field: 'date', operator: '$gte', value: '2026-03-01' },
    { field: 'company.id', operator: '$ne', value: 12 },
    { field: 'company.external_uid', operator: '$eq', value: '12' },
    { field: 'payable', operator: '$eq', value: false },
  ]);
  expect(read({})).toEqual([]);
});

test.each([
  ['2026-03-10T12:00:00Z', '2026-03-10T12:00:00.000Z'],
  ['2026-03-10T09:00:00.1-03:00', '2026-03-10T12:00:00.100Z'],
  ['2026-03-10T12:00', '2026-03-10T12:00:00.000Z'],
  ['2026-03-10', '2026-03-10'],
])('reads the instant or day %s as %s', (given, value) => {
  expect(read({ 'filters[synced_at][$gt]': given })).toEqual([
    { field: 'synced_at', operator: '$gt', value },
  ]);
});
