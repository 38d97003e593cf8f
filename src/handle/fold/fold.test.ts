import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StoredEvent } from '../../event/stored-event.ts';
import { testEvent } from '../../testing/test-event.ts';
import { defineMachine } from '../define/machine.ts';
import { inArrivalOrder } from './event-number.ts';
import { beginFold } from './fold.ts';
import { inVersionOrder } from '../../event/version-order.ts';

const machine = defineMachine({
  name: 'prices',
  on: 'charge.payment-slip.*',
  initial: { amount: 0, trail: '' },
  evolve: (state, { data }) => ({
    amount: data.amount ?? state.amount,
    trail: `${state.trail}>${String(data.amount)}`,
  }),
  anomalies: ({ before, after }) => (after.amount < before.amount ? ['cheaper'] : []),
  effects: {
    dearer: { when: ({ before, after }) => after.amount > before.amount, run: () => undefined },
    always: { when: () => true, run: () => undefined },
  },
});

/** The result of a fold, with events named by version, because their numbers depend on the order of arrival. */
function foldAll(events: readonly StoredEvent[]): object {
  const folding = beginFold(machine);
  const effects = inVersionOrder(inArrivalOrder(events)).flatMap((event) => folding.take(event));
  const versionOf = new Map(events.map(({ id, version }) => [id, version]));
  return {
    state: folding.state,
    anomalies: folding.anomalies.map(({ eventId }) => versionOf.get(eventId)),
    effects: effects.map(({ name, change }) => [name, change.event.version, change.before, change.after]),
  };
}

it('ends in the same state with the same effects for every order of arrival, with any duplicates', () => {
  const events = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 8 }).map((amounts) =>
    amounts.map((amount, at) =>
      testEvent('charge.payment-slip.updated', {
        id: `abc123-${String(at + 1)}`,
        data: { amount, updated_at: `2026-01-01T00:00:0${String(at)}Z` },
      }),
    ),
  ) as fc.Arbitrary<StoredEvent[]>;
  const arrival = events.chain((list) =>
    fc.record({
      list: fc.constant(list),
      order: fc.shuffledSubarray(list, { minLength: list.length }),
      duplicates: fc.array(fc.nat(list.length - 1), { maxLength: 4 }),
    }),
  );
  fc.assert(
    fc.property(arrival, ({ list, order, duplicates }) => {
      const arrived = order.map((event, at) => ({ ...event, id: `abc123-${String(at + 1)}` }));
      const duplicated = duplicates.map((at) => arrived[at] as StoredEvent);
      expect(foldAll([...arrived, ...duplicated])).toEqual(foldAll(list));
    }),
  );
});

it.each([undefined, null, Object.create(null) as object, Object.freeze({ toString: 1 }), 'a string'])(
  'ignores an event on which the machine throws any value (%#), and records an anomaly of bounded length',
  (thrown) => {
    const failing = defineMachine({
      ...{ name: 'failing', on: 'charge.payment-slip.*', initial: { folded: 0 } },
      evolve() {
        // oxlint-disable-next-line only-throw-error -- handlers may throw anything
        throw thrown;
      },
    });
    const folding = beginFold(failing);
    const event = testEvent('charge.payment-slip.updated', { id: 'abc123-1' }) as StoredEvent;
    expect(folding.takeLogged(event)).toEqual([]);
    expect(folding.state).toEqual({ folded: 0 });
    expect(folding.anomalies).toMatchObject([{ eventId: 'abc123-1' }]);
    expect(folding.anomalies[0]?.message.length).toBeLessThan(2_100);
  },
);
