import { describe, expect, it } from 'vitest';
import { defineMachine } from '../handle/define/machine.ts';
import { machineSpecification } from './machine-specification.ts';
import { testContext } from './test-context.ts';
import { testEvent } from './test-event.ts';

const machine = defineMachine({
  name: 'amounts',
  on: 'charge.payment-slip.*',
  initial: { last: 0 },
  evolve: (_, { data }) => ({ last: data.amount ?? 0 }),
  anomalies: ({ before, after }) => (after.last < before.last ? ['less than before'] : []),
  effects: {
    onRise: {
      when: ({ before, after }) => after.last > before.last,
      run: ({ after, late }, { attempt }) => `${String(after.last)} ${String(late)} ${String(attempt)}`,
    },
  },
});

const slip = (amount: number, second: number) =>
  testEvent('charge.payment-slip.updated', {
    data: { amount, updated_at: `2026-01-01T00:00:0${String(second)}Z` },
  });

const spec = machineSpecification(machine);

describe('a machine specification', () => {
  it('asserts state, effects and anomalies', () => {
    const outcome = spec.given([slip(5, 1)]).when(slip(7, 2));
    outcome.then({ last: 7 }).thenEffects('onRise').thenAnomalies();
    expect(() => outcome.then({ last: 8 })).toThrow(/last: 8/);
    expect(() => outcome.then({})).toThrow();
    expect(() => outcome.thenEffects()).toThrow();
    expect(() => outcome.thenEffects('onRise', 'onFall')).toThrow();
    expect(() => outcome.thenAnomalies(/less/)).toThrow(/expected anomalies \/less\/, got: \(none\)/);
    const fallen = spec.given([slip(5, 1)]).when(slip(3, 2));
    fallen.thenEffects().thenAnomalies(/^less than before$/);
    expect(() => fallen.thenAnomalies()).toThrow(/expected anomalies \(none\), got: less than before/);
    expect(() => fallen.thenAnomalies(/more/)).toThrow(/got: less than before/);
  });

  it('passes the outcome to a function, or to an await', async () => {
    const outcome = spec.given([slip(5, 1), slip(9, 3)]).when(slip(7, 2));
    const expected = { state: { last: 9 }, anomalies: [], effects: ['onRise'], late: true };
    outcome.then((found) => {
      expect(found).toEqual(expected);
    });
    // oxlint-disable-next-line typescript/await-thenable -- it is thenable, although its type is not
    expect(await (outcome as unknown)).toEqual(expected);
  });

  it('runs the new effects', async () => {
    const rise = spec.given([slip(5, 1)]).when(slip(7, 2));
    const lateRise = spec.given([slip(5, 2)]).when(slip(4, 1));
    const fall = spec.given([slip(5, 1)]).when(slip(4, 2));
    expect(await rise.runEffects()).toEqual(['7 false 1']);
    expect(await lateRise.runEffects(testContext({ attempt: 2 }))).toEqual(['4 true 2']);
    expect(await fall.runEffects()).toEqual([]);
  });

  it('rejects an event that the machine does not receive', () => {
    expect(() => spec.given([]).when(testEvent('charge.created'))).toThrow(
      /amounts does not receive charge\.created/,
    );
  });
});
