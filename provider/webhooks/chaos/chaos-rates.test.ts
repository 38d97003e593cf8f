import { expect, test } from 'vitest';
import { calm, parseChaosRates } from './chaos-rates.ts';

test('effects are read with their rates, and what is not named never happens', () => {
  expect(parseChaosRates('duplicates=0.1,reorder=1, drops = 0')).toEqual({
    ...calm,
    duplicates: 0.1,
    reorder: 1,
  });
});

test.each([
  ['duplicate=0.1', /unknown effect: duplicate; the effects are duplicates, resign, /],
  ['duplicates=2', /duplicates: expected a number from 0 to 1/],
  ['duplicates=-0.1', /duplicates: expected/],
  ['duplicates=', /duplicates: expected/],
  ['duplicates', /duplicates: expected/],
  ['duplicates=many', /duplicates: expected/],
  ['', /unknown effect/],
])('rejects %j', (text, explained) => {
  expect(parseChaosRates(text)).toMatch(explained);
});
