import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slip, type Status } from '../../../test/support/machine-fixture.ts';
import type { StoredEvent } from '../../event/stored-event.ts';
import { inVersionOrder } from '../../event/version-order.ts';
import { defineMachine, type Machine } from '../define/machine.ts';
import { eventNumber } from './event-number.ts';
import { createFoldMemory, type FoldMemory } from './fold-memory.ts';
import { refoldHistory } from './refold.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';

let folded = 0;

interface Slip {
  readonly status: string;
  readonly count: number;
}

const common = {
  name: 'status',
  on: 'charge.payment-slip.*',
  initial: { status: 'none', count: 0 } as Slip,
  anomalies: ({ before, after }: { before: Slip; after: Slip }) =>
    before.status === 'issued' && after.status === 'failed' ? ['failed after it was issued'] : [],
  effects: {
    onIssued: {
      when: ({ before, after }: { before: Slip; after: Slip }) =>
        after.status === 'issued' && before.status !== 'issued',
      run: () => undefined,
    },
  },
} as const;

/** Its state depends on the last event only, so that refolds converge soon after the event that joined. */
const forgetful = defineMachine({
  ...common,
  evolve(_state, { data }) {
    folded += 1;
    if (data.status_reason === 'poison') throw new Error('poisoned');
    return { status: data.status, count: 0 };
  },
});

/** Its state depends on every event, so that refolds never converge. */
const counting = defineMachine({
  ...common,
  evolve(state, { data }) {
    folded += 1;
    return { status: data.status, count: state.count + (data.status === 'issued' ? 1 : 0) };
  },
});

const statuses: readonly Status[] = ['pending', 'issued', 'failed'];

/** Returns an event for each number; a multiple of 7 has no version. */
const eventsOf = (seconds: readonly number[]): StoredEvent[] =>
  seconds.map((second, at) =>
    slip(
      at + 1,
      second % 7 === 0 ? null : second,
      statuses[second % 3] ?? 'pending',
      second % 11 === 0 ? 'poison' : 'fine',
    ),
  );

async function refold(machine: Machine, events: readonly StoredEvent[], number: number, memory: FoldMemory) {
  const known = new Map(events.map((one) => [eventNumber(one.id), one]));
  const event = known.get(number)!;
  const ordered = inVersionOrder(events);
  const states = {
    storedEvents: (ids: readonly string[]) =>
      Promise.resolve(ids.flatMap((id) => known.get(Number(id)) ?? [])),
  };
  const numbers = Float64Array.from(ordered, ({ id }) => eventNumber(id));
  const refolded = await refoldHistory(machine, event, { events: numbers, erased: 0 }, states, memory);
  if (refolded === null) throw new Error('no event is pruned');
  const { state, anomalies, ownEffects, laterEffects, late } = refolded;
  const named = (effects: typeof ownEffects) => effects.map(({ name, change }) => [name, change.event.id]);
  return { state, anomalies, own: named(ownEffects), later: named(laterEffects), late };
}

/** A long history that the machine has folded, and remembers. */
async function longHistory(machine: Machine) {
  const memory = createFoldMemory();
  const events = eventsOf(Array.from({ length: 5_000 }, (_, at) => at * 77 + 1));
  await refold(machine, events, 1, memory);
  folded = 0;
  return { memory, events };
}

describe('refolding a remembered history', () => {
  it('gives the same result as without memory, whichever events join or leave', async () => {
    const seconds = fc.array(fc.nat(3_000), { minLength: 210, maxLength: 300 });
    const steps = fc.array(fc.record({ added: fc.nat(60), number: fc.nat(), leaves: fc.boolean() }), {
      minLength: 2,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(forgetful, counting), seconds, steps, async (machine, drawn, all) => {
        const memory = createFoldMemory();
        const events = eventsOf(drawn);
        const gone = new Set<number>();
        let length = 205;
        for (const { added, number, leaves } of all) {
          length = Math.min(length + added, events.length);
          const chosen = (number % length) + 1;
          if (leaves) gone.add((number * 7) % length);
          const logged = events.slice(0, length).filter((_, at) => at === chosen - 1 || !gone.has(at));
          // The machine throws on this event, as in its own delivery.
          if (machine === forgetful && drawn[chosen - 1]! % 11 === 0) continue;
          const fresh = await refold(machine, logged, chosen, createFoldMemory());
          expect(await refold(machine, logged, chosen, memory)).toEqual(fresh);
        }
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  it('does not fold the whole history again for each late event', async () => {
    const { memory, events } = await longHistory(forgetful);
    const late = (at: number) => slip(events.length + 1, at, 'failed', 'late');

    for (const second of [5, 100_000, 200_000, 300_000, 380_000]) {
      events.push(late(second));
      await refold(forgetful, events, events.length, memory);
    }
    // Up to the next snapshot, once with each event and once without.
    expect(folded).toBeLessThan(5 * 250);
    const last = await refold(forgetful, events, 4_500, memory);
    expect(last).toEqual(await refold(forgetful, events, 4_500, createFoldMemory()));
    expect(last.anomalies.length).toBeGreaterThan(0);
  });

  it('does not fold the whole history again for each replayed event', async () => {
    const { memory, events } = await longHistory(forgetful);

    for (const number of [3, 1_500, 2_500, 4_000, 4_999]) await refold(forgetful, events, number, memory);
    expect(folded).toBeLessThan(5 * 250);
  });

  it('folds from the new event to the end when the state depends on every event', async () => {
    const { memory, events } = await longHistory(counting);
    events.push(slip(5_001, 77 * 4_900, 'issued'));

    await refold(counting, events, 5_001, memory);
    expect(folded).toBeLessThan(400);
  });
});
