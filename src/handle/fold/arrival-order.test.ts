import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../event/stored-event.ts';
import { MachineFixture, slip, type Status } from '../../../test/support/machine-fixture.ts';

/** A history in version order, and the indexes of its events in the order in which they arrive. */
interface Arrival {
  readonly history: readonly Status[];
  readonly order: readonly number[];
}

describe('every order of arrival', () => {
  const statuses = fc.array(fc.constantFrom<Status>('pending', 'requested', 'issued', 'rejected', 'failed'), {
    minLength: 1,
    maxLength: 8,
  });
  const arrivals: fc.Arbitrary<Arrival> = statuses.chain((history) =>
    fc.record({
      history: fc.constant(history),
      order: fc.shuffledSubarray([...history.keys()], { minLength: history.length }),
    }),
  );

  it('ends in the same state, anomalies and version', async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, async ({ history, order }) => {
        const inOrder = await delivered({ history, order: [...history.keys()] });
        const shuffled = await delivered({ history, order });
        const [one, other] = await Promise.all([inOrder, shuffled].map(stateOf));
        expect(other?.state).toEqual(one?.state);
        expect(other?.version).toEqual(one?.version);
        expect(other?.anomalies).toEqual(one?.anomalies);
      }),
    );
  });

  it('runs with each event the effects of the true order that have not run, in that order', async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, async (arrival) => {
        const { fired } = await delivered(arrival);
        expect(fired).toEqual(expectedEffects(arrival));
      }),
    );
  });

  it('is not affected by repeated deliveries', async () => {
    await fc.assert(
      fc.asyncProperty(statuses, fc.array(fc.nat()), async (list, repeats) => {
        const fixture = new MachineFixture();
        const events = list.map((status, at) => slip(at + 1, at, status));
        for (const event of events) await fixture.deliver(event);
        const state = await stateOf(fixture);
        const fired = [...fixture.fired];
        for (const repeat of repeats) {
          await fixture.deliver(events[repeat % events.length] as StoredEvent, { log: false });
        }
        expect(await stateOf(fixture)).toEqual({ ...state, revision: list.length + repeats.length });
        expect(fixture.fired).toEqual(fired);
      }),
    );
  });
});

/** The state of the subject that all slips belong to. */
function stateOf({ states }: MachineFixture) {
  return states.machineState('trail', 'default', slip(1, 0, 'pending').subject);
}

async function delivered({ history, order }: Arrival): Promise<MachineFixture> {
  const fixture = new MachineFixture();
  for (const [at, index] of order.entries())
    await fixture.deliver(slip(at + 1, index, history[index] as Status, `at ${String(index)}`));
  return fixture;
}

/** What an observer expects who folds all that has arrived in the true order, after each event. */
function expectedEffects({ history, order }: Arrival): readonly string[] {
  const expected = new Map<string, string>();
  for (const [at, index] of order.entries()) {
    const arrived = order.slice(0, at + 1).toSorted((one, other) => one - other);
    const isLate = index !== arrived.at(-1);
    for (const effect of effectsInOrder(arrived, { history, order }))
      if (!expected.has(effect)) expected.set(effect, isLate ? `${effect} late` : effect);
  }
  return [...expected.values()];
}

/** The effects of the machine `trail`, as `<event number>/<effect>`. */
function effectsInOrder(indexes: readonly number[], { history, order }: Arrival): readonly string[] {
  return indexes.flatMap((index, at) => {
    const before = at === 0 ? 'none' : history[indexes[at - 1] as number];
    const after = history[index];
    if (after === before) return [];
    const number = String(order.indexOf(index) + 1);
    return after === 'issued' ? [`${number}/onIssued`, `${number}/onChange`] : [`${number}/onChange`];
  });
}
