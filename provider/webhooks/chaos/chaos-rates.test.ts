import { expect, test } from 'vitest';
import { calm, readChaosRates } from './chaos-rates.ts';

test('effects are read with their rates, and what is not named never happens', () => {
  expect(readChaosRates('duplicates=0.1,reorder=1, drops = 0')).toEqual({
    ...calm,
    duplicates: 0.1,
    reorder: 1,
  });
});

test.each([
  ['duplicate=0.1', /There is no duplicate; there are duplicates, resign, /],
  ['duplicates=2', /duplicates: expected a number from 0 to 1/],
  ['duplicates=-0.1', /duplicates: expected/],
  ['duplicates=', /duplicates: expected/],
  ['duplicates', /duplicates: expected/],
  ['duplicates=many', /duplicates: expected/],
  ['', /There is no/],
])('%j is refused', (text, explained) => {
  expect(readChaosRates(text)).toMatch(explained);
});
