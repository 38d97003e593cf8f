import { describe, expect, expectTypeOf, it } from 'vitest';
import { eventKinds, type DataOf } from '../contract/catalogue.ts';
import { z } from 'zod';
import { defineHandler } from '../handle/define/handler.ts';
import { defineKind } from '../handle/kinds/kind-definition.ts';
import { handlerOutcome } from './handler-outcome.ts';
import { testEvent } from './test-event.ts';

describe('testEvent with a kind that the contract does not have', () => {
  it('suggests the one that was meant', () => {
    expect(() => testEvent('charge.updatd' as 'charge.updated')).toThrow(
      'the contract has no kind "charge.updatd": did you mean charge.updated?',
    );
    expect(() => testEvent('no.such.thing.at.all' as 'charge.updated')).toThrow('use defineKind');
  });
});

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

describe('a test event of a custom kind', () => {
  const archived = defineKind('company.archived', {
    schema: z.object({ id: z.int(), archived_at: z.iso.datetime(), contact: z.string().nullish() }),
    subject: { family: 'company', id: (data) => data.id },
    version: (data) => data.archived_at,
  });

  it('has a sample made from the schema, and the subject and version of the definition', () => {
    const event = testEvent(archived, { data: { id: 7 } });
    expectTypeOf(event.data.archived_at).toEqualTypeOf<string>();
    expect(event).toMatchObject({ kind: 'company.archived', recognized: true, data: { id: 7 } });
    expect(event.subject).toEqual({ family: 'company', id: '7' });
    expect(event.version).toMatch(/^2026-11-09T12:00:00/);
  });

  it('reaches the handler on that kind', async () => {
    const handler = defineHandler({ name: 'archive', on: archived, handle: ({ data }) => data.id });
    expect(await handlerOutcome(handler, testEvent(archived, { data: { id: 7 } }))).toBe(7);
  });

  it('has the fields of a changed kind beside those of the specification', () => {
    const ranked = defineKind('company.updated', { schema: z.object({ rank: z.int() }) });
    const event = testEvent(ranked, { data: { rank: 3 } });
    expect(event.data).toMatchObject({ rank: 3 });
    expect(event.data.tax_id).toHaveLength(14);
  });

  it('says what is missing when no sample can be made, and what does not match', () => {
    const coded = defineKind('part.sent', { schema: z.object({ code: z.string().regex(/^PX-\d{9}$/u) }) });
    expect(() => testEvent(coded)).toThrow('add example to its defineKind');
    expect(() => testEvent(archived, { data: { archived_at: 'yesterday' } })).toThrow('data.archived_at');
  });
});
