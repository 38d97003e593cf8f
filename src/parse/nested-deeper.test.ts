import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonValue } from '../kernel/json/json.ts';
import { nestedDeeper } from './read-json.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';

function depthOf(value: JsonValue): number {
  if (value === null || typeof value !== 'object') return 0;
  return 1 + Math.max(0, ...Object.values(value).map((member) => depthOf(member)));
}

test('counts the same levels as walking the value', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.nat({ max: 8 }), (text, levels) => {
      expect(nestedDeeper(text, levels)).toBe(depthOf(JSON.parse(text) as JsonValue) > levels);
    }),
    { numRuns: propertyRuns(500) },
  );
});

test.each([
  ['"[[[["', 0, false],
  ['"\\"[[["', 0, false],
  ['"\\\\"', 0, false],
  ['["\\\\",[]]', 1, true],
  ['[[],[],[]]', 2, false],
  ['{"[":{"{":1}}', 2, false],
  ['', 0, false],
])('%s is deeper than %i levels: %s', (text, levels, deeper) => {
  expect(nestedDeeper(text, levels)).toBe(deeper);
});

test('needs no stack for hundreds of thousands of brackets, closed or not', () => {
  expect(nestedDeeper('['.repeat(500_000), 64)).toBe(true);
  expect(nestedDeeper('[]'.repeat(500_000), 64)).toBe(false);
});
