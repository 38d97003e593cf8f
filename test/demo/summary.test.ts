/** The final output of the demo. */
import { expect, test } from 'vitest';
import { comparisonText, differencesOf, differencesText, explanationsOf } from '../../demo/show/summary.mjs';

const equal = { subject: 'company:1', family: 'company', outcome: 'equal' } as const;
const slip = { subject: 'traffic-violation-ticket:9', family: 'traffic-violation-ticket' } as const;

test('counts subjects by family and outcome, and leaves out empty columns except differences', () => {
  const withheld = { ...slip, outcome: 'withheld' } as const;

  expect(comparisonText([equal, equal, withheld])).toBe(
    [
      '                         subjects  equal  withheld  different',
      'companies                       2      2         0          0',
      'traffic violation slips         1      0         1          0',
      'all                             3      2         1          0',
    ].join('\n'),
  );
  expect(explanationsOf([equal])).toEqual([]);
  expect(explanationsOf([equal, withheld])).toEqual([expect.stringMatching(/^withheld: /u), '']);
});

test('lists up to 50 differences with their reasons', () => {
  const different = { ...slip, outcome: 'different', reason: 'its machine has no state' } as const;

  expect(differencesText([equal], 61, false)).toBe('0 differences, after 61 s');
  expect(differencesText([equal, different], 61, false)).toBe(
    '1 difference, after 61 s\n  traffic-violation-ticket:9: its machine has no state',
  );
  expect(
    differencesText(
      Array.from({ length: 60 }, () => different),
      61,
      false,
    ).split('\n'),
  ).toHaveLength(52);
});

test('after a repair, what it ends is a difference, and what it cannot end is none', () => {
  const outcomes = ['lost', 'unsent', 'silenced', 'disordered', 'withheld', 'removed', 'unchecked'] as const;
  const comparisons = outcomes.map((outcome) => ({ ...slip, outcome }));

  expect(differencesOf(comparisons, false)).toEqual([]);
  expect(differencesOf(comparisons, true).map(({ outcome }) => outcome)).toEqual(outcomes.slice(0, 4));
});
