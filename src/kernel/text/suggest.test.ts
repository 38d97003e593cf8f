import { expect, test } from 'vitest';
import { suggest } from './suggest.ts';

const known = ['company.created', 'company.updated', 'charge.created'];

test.each([
  ['comapny.craeted', 'company.created'],
  ['COMPANY.UPDATED', 'company.updated'],
  ['charge.create', 'charge.created'],
])('%s was probably meant to be %s', (word, meant) => {
  expect(suggest(word, known)).toBe(meant);
});

test.each(['wheelbarrow', 'x', ''])('nothing is near to %j', (word) => {
  expect(suggest(word, known)).toBeUndefined();
});

test('of equally near words the first is suggested', () => {
  expect(suggest('cat', ['bat', 'rat'])).toBe('bat');
});

test('nothing is suggested when nothing is known', () => {
  expect(suggest('anything', [])).toBeUndefined();
});
