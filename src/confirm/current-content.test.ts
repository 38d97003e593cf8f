import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { currentContent } from './create-confirm.ts';

const A = { id: 7, status: 'pending', amount: 92.41, company: { id: 1, name: 'Serra Azul' } };
const B = { ...A, status: 'overdue' };

describe('a record of the provider', () => {
  it.each<[string, unknown, unknown, unknown, string]>([
    ['has the content of the event', A, A, B, 'confirmed'],
    ['has the content before the event', B, A, B, 'superseded'],
    ['has neither content', { ...A, status: 'paid' }, A, B, 'unconfirmed'],
    [
      'matches each content in part',
      { ...A, status: 'pending', amount: 1 },
      A,
      { ...B, amount: 1 },
      'unconfirmed',
    ],
    ['differs in a field that both contents share', { ...A, amount: 99 }, A, B, 'confirmed'],
    ['lacks some of the fields', { id: 7, status: 'overdue' }, A, { ...B, company: null }, 'superseded'],
    ['lacks every field that differs', { id: 7 }, A, B, 'unconfirmed'],
    [
      'lacks one of the fields that differ',
      A,
      { ...A, company: { ...A.company, tax_id: '1' } },
      { ...B, company: { ...A.company, tax_id: '2' } },
      'confirmed',
    ],
    ['is not an object', null, A, B, 'unconfirmed'],
    [
      'has null for an absent field',
      { ...A, due_date: null },
      A,
      { ...A, due_date: '2026-03-31' },
      'confirmed',
    ],
    [
      'has an instant in another notation',
      { date: '2026-03-09T14:05:00Z' },
      { date: '2026-03-09T11:05:00.000-03:00' },
      { date: '2026-03-09T15:05:00.000Z' },
      'confirmed',
    ],
    [
      'differs in a nested field',
      { company: { id: 2 } },
      { company: { id: 1 } },
      { company: { id: 2 } },
      'superseded',
    ],
    ['differs in a list', { tags: [1, 2] }, { tags: [1, 2] }, { tags: [2, 1] }, 'confirmed'],
    ['is compared with two equal contents', A, A, { ...A }, 'unconfirmed'],
  ])('%s', (_, record, returned, before, resolution) => {
    expect(currentContent(record, returned, before)).toBe(resolution);
  });

  it("is never superseded when it equals the event's content, and never confirmed when it equals the content before", () => {
    const content = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(content, content, (returned, before) => {
        expect(currentContent(returned, returned, before)).not.toBe('superseded');
        expect(currentContent(before, returned, before)).not.toBe('confirmed');
      }),
    );
  });
});
