import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../event/stored-event.ts';
import { MachineFixture, slip, type Status } from '../../../test/support/machine-fixture.ts';

describe('every order of arrival', () => {
  const statuses = fc.array(fc.constantFrom<Status>('pending', 'requested', 'issued', 'rejected', 'failed'), {
    minLength: 1,
    maxLength: 8,
  });

  it('ends in the same state, anomalies and version, and runs every effect of the true order', async () => {
    const arrival = statuses.chain((list) =>
      fc.record({
        list: fc.constant(list),
        order: fc.shuffledSubarray(
          list.map((_, at) => at),
          { minLength: list.length },
        ),
      }),
    );
    await fc.assert(
      fc.asyncProperty(arrival, async ({ list, order }) => {
        const inOrder = new MachineFixture();
        for (const [at, status] of list.entries())
          await inOrder.deliver(slip(at + 1, at, status, `at ${String(at)}`));
        const shuffled = new MachineFixture();
        for (const [number, at] of order.entries()) {
          await shuffled.deliver(slip(number + 1, at, list[at] as Status, `at ${String(at)}`));
        }
        const [event] = [slip(1, 0, 'pending')];
        const [one, other] = await Promise.all(
          [inOrder, shuffled].map((fixture) =>
            fixture.states.machineState('trail', 'default', event.subject),
          ),
        );
        expect(other?.state).toEqual(one?.state);
        expect(other?.version).toEqual(one?.version);
        expect(other?.anomalies).toEqual(one?.anomalies);
        const inTrueOrder = (fired: readonly string[]): string[] =>
          fired.map(
            (key) =>
              `${String((order[Number.parseInt(key, 10) - 1] as number) + 1)}${key.replace(/^\d+| late$/g, '')}`,
          );
        expect(inTrueOrder(shuffled.fired)).toEqual(expect.arrayContaining(inOrder.fired));
      }),
    );
  });

  it('is not affected by repeated deliveries', async () => {
    await fc.assert(
      fc.asyncProperty(statuses, fc.array(fc.nat()), async (list, repeats) => {
        const fixture = new MachineFixture();
        const events = list.map((status, at) => slip(at + 1, at, status));
        for (const event of events) await fixture.deliver(event);
        const state = await fixture.states.machineState(
          'trail',
          'default',
          (events[0] as StoredEvent).subject,
        );
        const fired = [...fixture.fired];
        for (const repeat of repeats) {
          await fixture.deliver(events[repeat % events.length] as StoredEvent, { log: false });
        }
        const after = await fixture.states.machineState(
          'trail',
          'default',
          (events[0] as StoredEvent).subject,
        );
        expect(after).toEqual({ ...state, revision: list.length + repeats.length });
        expect(fixture.fired).toEqual(fired);
      }),
    );
  });
});
