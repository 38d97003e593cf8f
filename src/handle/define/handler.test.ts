import { describe, expect, expectTypeOf, it } from 'vitest';
import type { DataOf } from '../../contract/catalogue.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { isDefinition } from './definition.ts';
import { defineHandler } from './handler.ts';
import type { EventOf } from './handler-event.ts';

describe('strictValues', () => {
  it('leaves the listed values, so that the compiler knows every one', () => {
    defineHandler({
      name: 'strict',
      on: ['charge.updated', 'traffic-violation.updated', 'company.*'],
      strictValues: true,
      handle(event): number | undefined {
        // Of severities the specification has examples only.
        if (event.kind === 'traffic-violation.updated')
          expectTypeOf(event.data.reference).toEqualTypeOf<
            DataOf<'traffic-violation.updated'>['reference']
          >();
        if (event.kind !== 'charge.updated') return undefined;
        expectTypeOf(event.data.status).toEqualTypeOf<'pending' | 'paid' | 'overdue'>();
        expectTypeOf(event.data.company?.name).toEqualTypeOf<
          NonNullable<DataOf<'charge.updated'>['company']>['name'] | undefined
        >();
        // @ts-expect-error There is no such status.
        if (event.data.status === 'payed') return 0;
        // Every value has a case, so no return is missing.
        switch (event.data.status) {
          case 'pending':
          case 'overdue':
            return 1;
          case 'paid':
            return 2;
        }
      },
    });
  });
});

describe('the events of a handler', () => {
  it('are typed by a single kind', () => {
    defineHandler({
      name: 'one',
      on: 'company.created',
      handle(event) {
        expectTypeOf(event.kind).toEqualTypeOf<'company.created'>();
        expectTypeOf(event.data).toEqualTypeOf<DataOf<'company.created'>>();
        expectTypeOf(event.recognized).toEqualTypeOf<true>();
      },
    });
  });

  it('narrow by kind in a list', () => {
    defineHandler({
      name: 'several',
      on: ['company.created', 'charge.updated'],
      handle: (event) => {
        expectTypeOf(event).toEqualTypeOf<EventOf<'company.created' | 'charge.updated'>>();
        switch (event.kind) {
          case 'company.created':
            expectTypeOf(event.data).toEqualTypeOf<DataOf<'company.created'>>();
            return;
          case 'charge.updated':
            expectTypeOf(event.data).toEqualTypeOf<DataOf<'charge.updated'>>();
            return;
          default:
            expectTypeOf(event).toBeNever();
        }
      },
    });
  });

  it('narrow by kind under a wildcard, and include unrecognized events', () => {
    defineHandler({
      name: 'wild',
      on: 'company.*',
      handle(event) {
        if (event.kind === 'company.sne.updated') {
          expectTypeOf(event.data).toEqualTypeOf<DataOf<'company.sne.updated'>>();
        }
        if (!event.recognized) {
          expectTypeOf(event.data).not.toEqualTypeOf<DataOf<'company.created'>>();
          if (event.kind === 'user.login.failed') return;
          const kind: string = event.kind;
          if (kind === 'company.merged') return;
        }
        // @ts-expect-error charges are not among the events of companies
        if (event.kind === 'charge.created') return;
      },
    });
    defineHandler({
      name: 'all',
      on: '*',
      handle(event) {
        if (event.kind === 'charge.created') {
          expectTypeOf(event.data).toEqualTypeOf<DataOf<'charge.created'>>();
        }
      },
    });
  });

  it('of a kind that does not exist does not compile', () => {
    // @ts-expect-error no such kind
    defineHandler({ name: 'typo', on: 'company.craeted', handle: () => undefined });
  });
});

describe('a defined handler', () => {
  it('has every default filled in and is recognized as a definition', () => {
    const handler = defineHandler({ name: 'plain', on: ['company.*', 'company.*'], handle: () => undefined });
    expect(handler).toMatchObject({
      type: 'handler',
      name: 'plain',
      on: ['company.*'],
      retry: { attempts: 8, baseMs: 1000, maxMs: 300_000 },
      timeoutMs: 30_000,
      order: 'subject',
      stale: false,
      breaker: { failures: 20, subjects: 5, giveUps: 5 },
      afterDeadLetter: 'continue',
    });
    expect(isDefinition(handler)).toBe(true);
    expect(isDefinition({ ...handler, name: 'copy' })).toBe(true);
    expect(isDefinition({ name: 'plain', on: 'company.*' })).toBe(false);
  });

  it('keeps options beside the defaults', () => {
    const options = { name: 'set', on: '*', handle: () => undefined } as const;
    expect(defineHandler({ ...options, retry: { attempts: 1 } }).retry).toEqual({
      attempts: 1,
      baseMs: 1000,
      maxMs: 300_000,
    });
    expect(defineHandler({ ...options, breaker: { subjects: 1 } }).breaker).toEqual({
      failures: 20,
      giveUps: 5,
      subjects: 1,
    });
    // A base above the default maximum raises the maximum.
    expect(defineHandler({ ...options, retry: { baseMs: 600_000 } }).retry.maxMs).toBe(600_000);
  });

  it('waits for quiet ten times as long at most, unless it says how long', () => {
    const options = { name: 'newest', on: '*', order: 'latest', handle: () => undefined } as const;
    const waits = (more: object) => defineHandler({ ...options, ...more }).latest;
    expect(waits({})).toEqual({ quietMs: 0, maxWaitMs: 0 });
    expect(waits({ quietMs: 500 })).toEqual({ quietMs: 500, maxWaitMs: 5_000 });
    expect(waits({ quietMs: 500, maxWaitMs: 600 })).toEqual({ quietMs: 500, maxWaitMs: 600 });
  });

  it('calls handle as a method of the definition, which may inherit other members', () => {
    const definition = {
      name: 'method',
      on: 'company.created',
      greeting: 'hello',
      handle(): string {
        return this.greeting;
      },
    } as const;
    const { greeting, ...known } = definition;
    const handler = defineHandler(Object.assign(Object.create({ greeting }) as object, known));
    expect(handler.handle({} as never, {} as never)).toBe('hello');
  });
});

describe('a handler that is not valid', () => {
  const valid = { name: 'valid', on: 'company.created', handle: () => undefined };

  function problemsOf(definition: unknown): readonly string[] {
    try {
      defineHandler(definition as never);
    } catch (error) {
      if (!PortariaError.is(error, 'handler-invalid')) throw error;
      return error.problems.map(({ where, message }) => `${where}: ${message}`);
    }
    return [];
  }

  it.each<[object, string]>([
    [{ name: undefined }, 'name: is missing: it must be lower-case letters'],
    [{ name: 'Valid' }, 'name: is "Valid": it must be lower-case letters'],
    [{ name: 'a/effects' }, 'name: is "a/effects": it must be'],
    [{ on: [] }, 'on: is an empty list: it must be a kind, a wildcard, the result of defineKind, or a list'],
    [{ on: [7] }, 'on: is a list: it must be a kind'],
    [{ handle: 'log' }, 'handle: is "log": it must be a function'],
    [{ retry: { attempts: 0 } }, 'retry.attempts: is 0: it must be a whole number from 1'],
    [{ retry: { attempts: 1.5 } }, 'retry.attempts: is 1.5: it must be a whole number from 1'],
    [{ retry: { baseMs: -1 } }, 'retry.baseMs: is -1: it must be whole milliseconds from 0 to 2147483647'],
    [{ retry: { baseMs: 5, maxMs: 4 } }, 'retry.maxMs: is 4: it must be at least retry.baseMs, 5'],
    [{ retry: { atempts: 3 } }, 'retry.atempts: is not a field here: did you mean attempts?'],
    [{ timeoutMs: Infinity }, 'timeoutMs: is Infinity: it must be whole milliseconds from 1'],
    [{ order: 'random' }, 'order: is "random": it must be "subject", "latest", "handler" or "none"'],
    [{ order: 'latest', stale: true }, 'stale: is true: with the order "latest" only the newest event runs'],
    [{ quietMs: 5 }, 'quietMs: needs the order "latest"'],
    [{ order: 'latest', quietMs: 0 }, 'quietMs: is 0: it must be whole milliseconds from 1'],
    [{ order: 'latest', maxWaitMs: 5 }, 'maxWaitMs: needs quietMs, whose wait it bounds'],
    [{ order: 'latest', quietMs: 5, maxWaitMs: 4 }, 'maxWaitMs: is 4: it must be at least quietMs, 5'],
    [{ afterDeadLetter: 'wait' }, 'afterDeadLetter: is "wait": it must be "continue" or "hold"'],
    [
      { order: 'none', afterDeadLetter: 'hold' },
      'afterDeadLetter: is "hold": with order "none" no delivery waits for another',
    ],
    [{ stale: 'yes' }, 'stale: is "yes": it must be true or false'],
    [{ colour: 1 }, 'colour: is not a field here: known are name, on, retry'],
    [{ breaker: 5 }, 'breaker: is 5: it must be an object'],
  ])('with %o is rejected: %s', (change, problem) => {
    const problems = problemsOf({ ...valid, ...change });
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });

  it('is rejected with a list of all its mistakes', () => {
    expect(problemsOf({ name: 'bad', on: [], timeoutMs: 0, handle: 1 })).toHaveLength(3);
    expect(() => defineHandler({ name: 'bad', on: 7, timeoutMs: 0 } as never)).toThrow(
      /^handler "bad" is not valid: on: .*; timeoutMs: .*; handle: is missing/,
    );
    expect(() => defineHandler(undefined as never)).toThrow(
      /a handler without a name is not valid: .*must be an object/,
    );
  });
});
