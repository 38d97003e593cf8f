import { describe, expect, expectTypeOf, it, test } from 'vitest';
import { PortariaError } from '../../kernel/errors.ts';
import { testContext } from '../../testing/test-context.ts';
import { testEvent } from '../../testing/test-event.ts';
import { isDefinition } from './definition.ts';
import { defineMachine } from './machine.ts';
import type { EventOf } from './handler-event.ts';
import type { StoredEvent } from '../../event/stored-event.ts';

interface Count {
  readonly seen: number;
  readonly last: string | null;
}
const none: Count = { seen: 0, last: null };

describe('a defined machine', () => {
  it('is typed by its initial state and its kinds', () => {
    defineMachine({
      name: 'typed',
      on: 'charge.*',
      initial: none,
      evolve(state, event) {
        expectTypeOf(state).toEqualTypeOf<Count>();
        expectTypeOf(event).toEqualTypeOf<EventOf<'charge.*'>>();
        return { seen: state.seen + 1, last: event.kind };
      },
      anomalies: ({ before, after }) => {
        expectTypeOf(before).toEqualTypeOf<Count>();
        return after.seen > 9 ? ['too many'] : [];
      },
      effects: {
        notify: {
          when: ({ event }) => event.kind === 'charge.created',
          run(change, context) {
            expectTypeOf(change.event).toEqualTypeOf<EventOf<'charge.*'>>();
            expectTypeOf(change.late).toEqualTypeOf<boolean>();
            expectTypeOf(context.attempt).toEqualTypeOf<number>();
          },
        },
      },
    });
    defineMachine({
      name: 'wrong',
      on: 'charge.*',
      initial: none,
      // @ts-expect-error a state of another shape
      evolve: () => ({ seen: 'many' }),
    });
  });

  it('has every default filled in, its effects named, and is recognized as a definition', async () => {
    const ran: unknown[] = [];
    const machine = defineMachine({
      name: 'counter',
      on: ['charge.created', 'charge.updated'],
      initial: none,
      retry: { attempts: 2 },
      evolve: (state, event) => ({ seen: state.seen + 1, last: event.kind }),
      effects: {
        unset: undefined,
        first: { when: ({ after }) => after.seen === 1, run: (change) => ran.push(change.late) },
      },
    });
    expect(machine).toMatchObject({
      type: 'machine',
      on: ['charge.created', 'charge.updated'],
      retry: { attempts: 2, baseMs: 1000, maxMs: 300_000 },
      timeoutMs: 30_000,
      breaker: { failures: 20, subjects: 5, giveUps: 5 },
      initial: none,
      table: null,
    });
    expect(isDefinition(machine)).toBe(true);
    const event = testEvent('charge.created') as StoredEvent;
    expect(machine.evolve(machine.initial, event)).toEqual({ seen: 1, last: 'charge.created' });
    const change = { before: { seen: 0 }, after: { seen: 1 }, event };
    expect(machine.anomalies(change)).toEqual([]);
    expect(machine.effects.map((effect) => [effect.name, effect.when(change)])).toEqual([['first', true]]);
    await machine.effects[0]?.run({ ...change, late: true }, testContext());
    expect(ran).toEqual([true]);
  });

  const valid = { name: 'valid', on: 'charge.*', initial: 0, evolve: (state: number) => state + 1 };
  it.each<[object, string]>([
    [{ initial: undefined }, 'initial: is missing: it must be a JSON value'],
    [{ initial: new Map() }, 'initial: it must be JSON, but is a Map'],
    [{ evolve: undefined }, 'evolve: is missing: it must be a function'],
    [{ effects: [] }, 'effects: is an empty list: it must be an object of effects by name'],
    [
      { effects: { 'on-paid': { when: () => true, run: () => 1, wen: 1 } } },
      'effects["on-paid"].wen: is not a field here: did you mean when?',
    ],
    [{ effects: { a: { run: () => 1 } } }, 'effects.a.when: is missing'],
    [
      { effects: { a: () => 1 } },
      'effects.a: is a function: it must be an object with the functions when and run',
    ],
    [
      { effects: { 'a/b': { when: () => true, run: () => 1 } } },
      'effects["a/b"]: must be named with letters, digits, dashes and underscores',
    ],
    [{ table: { initial: 'a' } }, 'table.transitions: is missing: it must be a list of {from, on, to}'],
    [
      { table: { initial: 'a', transitions: [{ from: 'a', on: 'b' }] } },
      'table.transitions[0].to: is missing: it must be a non-empty string',
    ],
    [
      { table: { initial: 'a', transitions: {} } },
      'table.transitions: is an object: it must be a list of {from, on, to}',
    ],
    [{ order: 'none' }, 'order: is not a field here'],
  ])('with %o is rejected: %s', (change, problem) => {
    let problems: readonly string[] = [];
    try {
      defineMachine({ ...valid, ...change } as never);
    } catch (error) {
      if (!PortariaError.is(error, 'handler-invalid')) throw error;
      problems = error.problems.map(({ where, message }) => `${where}: ${message}`);
    }
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });
});

test('given several mistakes in effects and table, the error lists all of them', () => {
  const definition = {
    name: 'wrong',
    on: 'charge.*',
    initial: 0,
    evolve: (state: number) => state,
    effects: { 'a/b': { when: 1 }, c: { when: () => true } },
    table: { transitions: [{ from: 'x', to: '' }] },
  };
  expect(() => defineMachine(definition as never)).toThrow(
    expect.objectContaining({
      message: `machine "wrong" is not valid: ${[
        'effects["a/b"].when: is 1: it must be a function',
        'effects["a/b"].run: is missing: it must be a function',
        'effects.c.run: is missing: it must be a function',
        'effects["a/b"]: must be named with letters, digits, dashes and underscores',
        'table.initial: is missing: it must be a non-empty string',
        'table.transitions[0].on: is missing: it must be a non-empty string',
        'table.transitions[0].to: is "": it must be a non-empty string',
      ].join('; ')}`,
    }),
  );
});
