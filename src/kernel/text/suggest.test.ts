import { expect, test } from 'vitest';
import { suggest } from './suggest.ts';

const known = ['company.created', 'company.updated', 'charge.created'];

test.each([
  ['comapny.craeted', 'company.created'],
  ['COMPANY.UPDATED', 'company.updated'],
  ['charge.create', 'charge.created'],
])('suggests for %s: %s', (word, closest) => {
  expect(suggest(word, known)).toBe(closest);
});

test.each(['wheelbarrow', 'x', ''])('suggests nothing for %j', (word) => {
  expect(suggest(word, known)).toBeUndefined();
});

test('suggests the first of equally close words', () => {
  expect(suggest('cat', ['bat', 'rat'])).toBe('bat');
});

test('suggests nothing when no word is known', () => {
  expect(suggest('anything', [])).toBeUndefined();
});
