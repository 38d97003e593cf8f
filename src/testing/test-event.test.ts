import { describe, expect, expectTypeOf, it } from 'vitest';
import type { DataOf } from '../contract/catalogue.ts';
import { eventKinds } from '../contract/catalogue.ts';
import { testEvent } from './test-event.ts';

describe('a test event', () => {
  it('is complete without overrides', () => {
    const event = testEvent('charge.created');
    expectTypeOf(event.data).toEqualTypeOf<DataOf<'charge.created'>>();
    expect(event).toMatchObject({
      id: 'sample-1',
      kind: 'charge.created',
      recognized: true,
      source: 'default',
    });
    expect(event.data.amount).toBeGreaterThan(0);
  });

  it.each(eventKinds)('can be of kind %s', (kind) => {
    expect(testEvent(kind).kind).toBe(kind);
  });

  it('has the given payload fields over a sample, and the subject and version computed from them', () => {
    const data = { id: 4711, updated_at: '2026-05-01T10:00:00-03:00' };
    const event = testEvent('company.updated', { data });
    expect(event.data).toMatchObject(data);
    expect(event.data.tax_id).toHaveLength(14);
    expect(event.subject).toEqual({ family: 'company', id: '4711' });
    expect(event.version).toMatch(/^2026-05-01T13:00:00\.000000000Z/);
    expect(testEvent('charge.updated').version).toBeNull();
  });

  it('has the given record fields', () => {
    const record = {
      id: 'abc123-9',
      verdict: 'stale',
      receivedAt: 5,
      source: 'north',
      flags: ['ambiguous'],
    } as const;
    expect(testEvent('charge.updated', record)).toMatchObject(record);
  });

  it('is rejected when its payload does not match the contract', () => {
    expect(() => testEvent('charge.updated', { data: { amount: 'much' as never } })).toThrow(
      /does not match charge\.updated: 1 issue: data\.amount expected a number/,
    );
  });
});
