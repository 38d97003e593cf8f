import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { currentContent } from './current-content.ts';

const A = { id: 7, status: 'pending', amount: 92.41, company: { id: 1, name: 'Serra Azul' } };
const B = { ...A, status: 'overdue' };

describe("the provider's record", () => {
  it.each<[string, unknown, unknown, unknown, string]>([
    ['has the content that came back', A, A, B, 'confirmed'],
    ['has the content before', B, A, B, 'superseded'],
    ['has neither', { ...A, status: 'paid' }, A, B, 'unconfirmed'],
    ['has some of each', { ...A, status: 'pending', amount: 1 }, A, { ...B, amount: 1 }, 'unconfirmed'],
    ['differs in what both contents agree on', { ...A, amount: 99 }, A, B, 'confirmed'],
    ['shows less', { id: 7, status: 'overdue' }, A, { ...B, company: null }, 'superseded'],
    ['shows nothing that differs', { id: 7 }, A, B, 'unconfirmed'],
    [
      'does not show all that differs',
      A,
      { ...A, company: { ...A.company, tax_id: '1' } },
      { ...B, company: { ...A.company, tax_id: '2' } },
      'confirmed',
    ],
    ['is no object', null, A, B, 'unconfirmed'],
    [
      'writes null for what is absent',
      { ...A, due_date: null },
      A,
      { ...A, due_date: '2026-03-31' },
      'confirmed',
    ],
    [
      'writes an instant differently',
      { date: '2026-03-09T14:05:00Z' },
      { date: '2026-03-09T11:05:00.000-03:00' },
      { date: '2026-03-09T15:05:00.000Z' },
      'confirmed',
    ],
    ['differs within', { company: { id: 2 } }, { company: { id: 1 } }, { company: { id: 2 } }, 'superseded'],
    ['differs in a list', { tags: [1, 2] }, { tags: [1, 2] }, { tags: [2, 1] }, 'confirmed'],
    ['has what both had', A, A, { ...A }, 'unconfirmed'],
  ])('%s', (_, record, returned, before, resolution) => {
    expect(currentContent(record, returned, before)).toBe(resolution);
  });

  it('is never taken for the content before when it is the one that came back, nor the other way round', () => {
    const content = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(content, content, (returned, before) => {
        expect(currentContent(returned, returned, before)).not.toBe('superseded');
        expect(currentContent(before, returned, before)).not.toBe('confirmed');
      }),
    );
  });
});
