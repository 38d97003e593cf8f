import { describe, expect, expectTypeOf, it } from 'vitest';
import { defineHandler } from '../handle/define/handler.ts';
import { defineMachine } from '../handle/define/machine.ts';
import { Discard, GiveUp, isDiscard, isGiveUp, isRetryLater, RetryLater } from '../handle/define/outcome.ts';
import { handlerOutcome } from './handler-outcome.ts';
import { testContext, type TestContext } from './test-context.ts';
import { testEvent, unrecognizedEvent } from './test-event.ts';

const handler = defineHandler({
  name: 'charges',
  on: 'charge.*',
  handle({ data }, { attempt }) {
    if (attempt > 2) return GiveUp('too often');
    const { status } = data as { readonly status?: string };
    if (status === 'paid') throw Discard('nothing to do');
    if (status === 'overdue') throw new Error('unreachable');
    return RetryLater(5);
  },
});
const charge = (status: 'paid' | 'overdue' | 'pending') => testEvent('charge.updated', { data: { status } });

describe('the outcome of a handler', () => {
  it('is what it returned or threw, as the predicates tell', async () => {
    const later = await handlerOutcome(handler, charge('pending'));
    expect(isRetryLater(later) && later.ms).toBe(5);
    const skipped = await handlerOutcome(handler, charge('paid'));
    expect(isDiscard(skipped) && skipped.reason).toBe('nothing to do');
    const dead = await handlerOutcome(handler, charge('paid'), testContext({ attempt: 3 }));
    expect(isGiveUp(dead) && dead.reason).toBe('too often');

    for (const outcome of [later, skipped, dead])
      expect([isRetryLater(outcome), isDiscard(outcome), isGiveUp(outcome)].filter(Boolean)).toHaveLength(1);
  });

  it('is an error, which no predicate takes, when the handler failed', async () => {
    const failed = await handlerOutcome(handler, charge('overdue'));
    expect(failed).toEqual(new Error('unreachable'));
    expect([isRetryLater, isDiscard, isGiveUp].some((is) => is(failed))).toBe(false);
  });

  it('is GiveUp, which names field and value, where strictValues leaves the value out', async () => {
    const strict = defineHandler({
      name: 'strict',
      on: 'charge.updated',
      strictValues: true,
      handle: ({ data }) => data.status,
    });
    expect(await handlerOutcome(strict, charge('paid'))).toBe('paid');
    const other = testEvent('charge.updated', { data: { status: 'refunded' } });
    const outcome = await handlerOutcome(strict, other);
    expect(isGiveUp(outcome) && outcome.reason).toBe(
      'data.status is "refunded", and strictValues takes pending, paid, overdue: retry it when the contract or a defineKind lists the value',
    );
  });

  it('is rejected for an event that the handler does not receive', async () => {
    await expect(handlerOutcome(handler, testEvent('company.created'))).rejects.toThrow(
      'charges does not receive company.created',
    );
  });

  it('can be that of an event outside the contract', async () => {
    const wildcard = defineHandler({
      name: 'all',
      on: '*',
      handle: ({ recognized, data }) => [recognized, data],
    });
    const event = unrecognizedEvent('company.archived', { id: 7 });
    expect(await handlerOutcome(wildcard, event)).toEqual([false, { id: 7 }]);
  });
});

describe('test events and contexts', () => {
  it('fit handlers and machines without a cast', async () => {
    const machine = defineMachine({
      name: 'last',
      on: 'charge.updated',
      initial: { at: 0 },
      evolve: (_, { receivedAt }) => ({ at: receivedAt }),
    });
    expectTypeOf(handler.handle).toBeCallableWith(testEvent('charge.created'), testContext());
    expectTypeOf(handler.handle).toBeCallableWith(testEvent('company.login.failed'), testContext());
    expectTypeOf(machine.evolve).toBeCallableWith({ at: 1 }, testEvent('charge.updated'));
    expectTypeOf<TestContext>().toExtend<Parameters<typeof handler.handle>[1]>();
    expect(machine.evolve({ at: 1 }, testEvent('charge.updated', { receivedAt: 5 }))).toEqual({ at: 5 });
  });

  it('have one type of time: milliseconds since 1970', () => {
    const event = testEvent('charge.created');
    const context = testContext();
    expectTypeOf(event.receivedAt).toEqualTypeOf<number>();
    expectTypeOf(context.receivedAt).toEqualTypeOf<number>();
    expect(context.receivedAt).toBe(event.receivedAt);
  });
});
