import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MachineFixture, slip, trail, type Status } from '../../../test/support/machine-fixture.ts';
import type { MachineCommit } from '../../store/lane-queue.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import type { StoredEvent } from '../../event/stored-event.ts';
import { inVersionOrder } from '../../event/version-order.ts';
import { eventNumber } from './event-number.ts';
import { beginFold } from './fold.ts';
import { createFoldMemory } from './fold-memory.ts';
import { foldDelivery } from './fold-delivery.ts';
import { basesBeforePruning, KEPT_MESSAGE } from './pruned-history.ts';
import { rebuildSubject } from './rebuild-subject.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';

const { subject } = slip(1, 1, 'pending');
const key = ['trail', 'default', subject] as const;

/** Arrivals of one subject, and prunings of the oldest by arrival. */
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        second: fc.oneof(fc.nat(40), fc.constant(null)),
        status: fc.constantFrom<Status>('pending', 'issued', 'failed'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ pruneThrough: fc.nat(30) }) },
  ),
  { minLength: 3, maxLength: 40 },
);

/** A subject whose events arrive in any order and are pruned from time to time. */
class PrunedSubject {
  readonly fixture = new MachineFixture();
  readonly arrived: StoredEvent[] = [];
  readonly gone = new Set<number>();
  /** Events that were not folded, because they belong before pruned ones. */
  readonly left = new Set<number>();

  /** Delivers the next event. */
  async arrive(second: number, reason = `event ${String(this.arrived.length + 1)}`): Promise<MachineCommit> {
    const event = slip(this.arrived.length + 1, second, 'pending', reason);
    this.arrived.push(event);
    return this.fixture.deliver(event);
  }

  async prune(through: number): Promise<void> {
    const events = this.arrived.map(({ id }) => eventNumber(id)).filter((number) => number <= through);
    const pruning = { source: 'default', subject, machines: ['trail'], events };
    this.fixture.states.prune(events, await basesBeforePruning([trail], pruning, this.fixture.states));
    for (const number of events) this.gone.add(number);
  }

  /** What remains to be folded, in version order. */
  get folded(): readonly StoredEvent[] {
    return inVersionOrder(this.arrived).filter(({ id }) => !this.left.has(eventNumber(id)));
  }

  /** The state by definition: of all events but those left out. */
  get expected(): unknown {
    const folding = beginFold(trail);
    for (const event of this.folded) folding.takeLogged(event);
    return folding.state;
  }

  /** Whether the event belongs before a pruned one. */
  isBeforePruned(event: StoredEvent): boolean {
    const order = inVersionOrder([...this.arrived, event]).map(({ id }) => eventNumber(id));
    const lastPruned = order.findLastIndex((number) => this.gone.has(number));
    return order.indexOf(eventNumber(event.id)) < lastPruned;
  }
}

describe('a subject whose old events are pruned', () => {
  it('folds every event that belongs after them, and keeps its state at any other', async () => {
    let keptAtAll = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const one = new PrunedSubject();
        for (const step of all) {
          if ('pruneThrough' in step) {
            const before = await one.fixture.states.machineState(...key);
            await one.prune(step.pruneThrough);
            expect(await one.fixture.states.machineState(...key)).toEqual(before);
            continue;
          }
          const number = one.arrived.length + 1;
          const event = slip(number, step.second, step.status, `event ${String(number)}`);
          const isKept = one.isBeforePruned(event);
          const commit = await one.fixture.deliver(event);
          one.arrived.push(event);
          const isLeft = commit.anomalies.some(
            ({ eventId, message }) => eventId === event.id && message === KEPT_MESSAGE,
          );
          if (isKept) keptAtAll += 1;
          expect(isLeft && !isKept).toBe(false);
          if (isLeft) {
            one.left.add(number);
            expect(commit.effects).toEqual([]);
          }
          expect((await one.fixture.states.machineState(...key))?.state).toEqual(one.expected);
        }
      }),
      { numRuns: propertyRuns(150) },
    );
    expect(keptAtAll).toBeGreaterThan(0);
  });

  it('is rebuilt to the same state', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const one = new PrunedSubject();
        for (const step of all) {
          if ('pruneThrough' in step) {
            await one.prune(step.pruneThrough);
            continue;
          }
          const event = slip(one.arrived.length + 1, step.second, step.status);
          if (one.isBeforePruned(event)) continue;
          await one.fixture.deliver(event);
          one.arrived.push(event);
        }
        const before = await one.fixture.states.machineState(...key);
        if (before === null) return;
        const rebuilt = await rebuildSubject(trail, 'default', subject, one.fixture.states, manualClock());
        expect(rebuilt?.from).toBe(one.gone.size > 0 ? 'after-base' : 'all');
        expect(rebuilt?.after).toEqual(before.state);
        expect(rebuilt?.anomalies).toHaveLength(before.anomalies);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it('folds late events after a discarded dead letter that was pruned', async () => {
    const one = new PrunedSubject();
    await one.arrive(10);
    await expect(one.arrive(20, 'poison')).rejects.toThrow('poisoned');
    await one.prune(2);
    await one.arrive(40);

    const late = await one.arrive(30);
    expect(late.state).toEqual({ status: 'pending', trail: ['event 1', 'event 4', 'event 3'] });
  });

  it('gives the same result with the memory of a long history', async () => {
    const one = new PrunedSubject();
    const memory = createFoldMemory();
    for (let number = 1; number <= 260; number += 1) await one.arrive(2 * number);
    const late = (number: number, second: number) => slip(number, second, 'issued', `late ${String(number)}`);
    const fold = (event: StoredEvent, own = memory) =>
      foldDelivery(trail, { event, replay: null }, one.fixture.states, own);

    await fold(late(261, 301));
    await one.prune(100);
    const withMemory = await fold(late(261, 401));
    expect(withMemory).toEqual(await fold(late(261, 401), createFoldMemory()));
    expect(withMemory.state).toMatchObject({ trail: { length: 261 } });
    // The memory knows a state between pruned events that the store does not.
    expect((await fold(late(261, 101), createFoldMemory())).anomalies).toMatchObject([
      { message: KEPT_MESSAGE },
    ]);
  });
});

describe('a machine that is new to a subject with pruned events', () => {
  async function withPruned(): Promise<PrunedSubject> {
    const one = new PrunedSubject();
    for (const number of [1, 2, 3, 4]) {
      const event = slip(number, number * 10, 'pending', `event ${String(number)}`);
      one.fixture.states.log(event);
      one.arrived.push(event);
    }
    one.fixture.states.prune([1, 2]);
    return one;
  }

  it('folds what remains, says what is missing, and then takes late events', async () => {
    const one = await withPruned();
    const [, , third, fourth] = one.arrived;

    const first = await one.fixture.deliver(third!, { log: false });
    expect(first.anomalies).toEqual([
      { eventId: '2', message: 'the state is without 2 pruned events of the subject' },
    ]);
    await one.fixture.deliver(fourth!, { log: false });
    const late = await one.fixture.deliver(slip(5, 35, 'issued', 'event 5'));

    expect(late.state).toEqual({ status: 'pending', trail: ['event 3', 'event 5', 'event 4'] });
    expect(late.anomalies).toContainEqual(first.anomalies[0]);
  });

  it('folds what remains in a replay, event by event', async () => {
    const one = await withPruned();
    for (const event of one.arrived.slice(2)) await one.fixture.deliver(event, { log: false, replay: 'r1' });

    const state = await one.fixture.states.machineState(...key);
    expect(state?.state).toEqual({ status: 'pending', trail: ['event 3', 'event 4'] });
  });

  it('is rebuilt from what remains', async () => {
    const one = await withPruned();
    expect(await rebuildSubject(trail, 'default', subject, one.fixture.states, manualClock())).toEqual({
      before: null,
      after: { status: 'pending', trail: ['event 3', 'event 4'] },
      events: 2,
      anomalies: [{ eventId: '2', message: 'the state is without 2 pruned events of the subject' }],
      from: 'remain',
    });
  });
});

it('a state whose earlier events were pruned without a base is kept, also by a rebuild', async () => {
  const one = new PrunedSubject();
  for (const second of [10, 20, 30]) await one.arrive(second);
  one.fixture.states.prune([1, 2]);
  const before = await one.fixture.states.machineState(...key);

  const late = await one.fixture.deliver(slip(4, 25, 'issued'));
  expect(late).toMatchObject({ state: before?.state, anomalies: [{ message: KEPT_MESSAGE }], effects: [] });
  const rebuilt = await rebuildSubject(trail, 'default', subject, one.fixture.states, manualClock());
  expect(rebuilt).toMatchObject({ from: 'none', after: before?.state });
});
