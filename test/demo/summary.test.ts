/** What the demo ends with. */
import { expect, test } from 'vitest';
import { comparisonText, differencesText, remarksOf } from '../../demo/show/summary.mjs';

const equal = { subject: 'company:1', family: 'company', standing: 'equal' } as const;
const slip = { subject: 'traffic-violation-ticket:9', family: 'traffic-violation-ticket' } as const;

test('subjects are counted by family and standing, and no column is empty but for differences', () => {
  const withheld = { ...slip, standing: 'withheld' } as const;

  expect(comparisonText([equal, equal, withheld])).toBe(
    [
      '                         subjects  equal  withheld  different',
      'companies                       2      2         0          0',
      'traffic violation slips         1      0         1          0',
      'all                             3      2         1          0',
    ].join('\n'),
  );
  expect(remarksOf([equal])).toEqual([]);
  expect(remarksOf([equal, withheld])).toEqual([expect.stringMatching(/^withheld: /u), '']);
});

test('differences are listed with their reasons, as many as anybody reads', () => {
  const different = { ...slip, standing: 'different', reason: 'its machine has no state' } as const;

  expect(differencesText([equal], 61)).toBe('0 differences, after 61 s');
  expect(differencesText([equal, different], 61)).toBe(
    '1 difference, after 61 s\n  traffic-violation-ticket:9: its machine has no state',
  );
  expect(
    differencesText(
      Array.from({ length: 60 }, () => different),
      61,
    ).split('\n'),
  ).toHaveLength(52);
});
