import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ClaimedDelivery } from '../../../src/store/lane-queue.ts';
import type { LaneOrder } from '../../../src/store/route.ts';
import { openFixture, readable, type StoreFixture } from '../store-fixture.ts';
import { route } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';
import { propertyRuns } from '../../support/property-runs.ts';

type Step =
  | { readonly do: 'accept'; readonly subject: number }
  | { readonly do: 'claim'; readonly limit: number; readonly prefetch: number; readonly read: number }
  | { readonly do: 'end'; readonly which: number; readonly dead: boolean; readonly next: boolean }
  | { readonly do: 'end-all'; readonly next: boolean }
  | { readonly do: 'reschedule'; readonly which: number; readonly ms: number }
  | { readonly do: 'release'; readonly which: number }
  | { readonly do: 'release-all' }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'crash' };

const which = fc.nat({ max: 20 });
const ms = fc.nat({ max: 50 });
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('accept' as const), subject: fc.nat({ max: 3 }) }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('claim' as const),
        limit: fc.nat({ max: 5 }),
        prefetch: fc.nat({ max: 3 }),
        read: fc.nat({ max: 3 }),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('end' as const),
        which,
        dead: fc.boolean(),
        next: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('end-all' as const), next: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('reschedule' as const), which, ms }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), which }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('release-all' as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
  ),
  // By itself fast-check draws a few steps only, after which next to nothing can have been tried twice.
  { maxLength: 60, size: 'max' },
);

/** Does what the steps say and checks, all along, what must hold of lanes. */
class Watcher {
  readonly inFlight = new Map<string, ClaimedDelivery>();
  readonly ended: ClaimedDelivery[] = [];
  /** Tries that count, by delivery. */
  readonly #attempts = new Map<string, number>();
  /** Prefetched at their last claim: their attempts count with their outcomes. */
  readonly #prefetched = new Set<string>();
  /** Held when a process ended: one of these may be what ends it. */
  readonly #interrupted = new Set<string>();
  accepted = 0;
  readonly #fixture: StoreFixture;
  readonly #handler: string;
  readonly #order: LaneOrder;

  constructor(fixture: StoreFixture, handler: string, order: LaneOrder) {
    this.#fixture = fixture;
    this.#handler = handler;
    this.#order = order;
  }

  async take(step: Step): Promise<void> {
    const { store, clock } = this.#fixture;
    const delivery = 'which' in step ? this.#inFlightAt(step.which) : undefined;
    switch (step.do) {
      case 'accept': {
        this.accepted += 1;
        const sketch = { source: this.#handler, subject: `company:${String(step.subject)}` };
        const routes = [route(this.#handler, { order: this.#order })];
        await this.#fixture.stored({ ...sketch, content: String(this.accepted) }, routes);
        return;
      }
      case 'claim':
        await this.claim(step.limit, step.prefetch, step.read);
        return;
      case 'end':
        if (delivery !== undefined) await this.end(delivery, step.dead, step.next);
        return;
      case 'end-all':
        await this.endAll(step.next);
        return;
      case 'reschedule': {
        if (delivery === undefined) return;
        const now = clock.now();
        await store.reschedule(delivery, { now, dueAt: now + step.ms, reason: 'x' });
        this.inFlight.delete(this.laneOf(delivery));
        this.#attempts.set(delivery.id, delivery.attempt);
        return;
      }
      case 'release':
        if (delivery === undefined) return;
        await store.release([delivery], { dueAt: clock.now() });
        this.inFlight.delete(this.laneOf(delivery));
        return;
      case 'release-all':
        await store.release([...this.inFlight.values()], { dueAt: clock.now() });
        this.inFlight.clear();
        return;
      case 'wait':
        clock.advance(step.ms);
        return;
      case 'crash':
        expect(await store.recover()).toBe(this.inFlight.size);
        for (const { id, attempt } of this.inFlight.values()) {
          this.#interrupted.add(id);
          if (!this.#prefetched.has(id)) this.#attempts.set(id, attempt);
        }
        this.inFlight.clear();
    }
  }

  /** Claims and prefetches; reads some of the prefetched deliveries and releases the others unread. */
  async claim(limit: number, more = 0, read = more): Promise<number> {
    const { store, clock } = this.#fixture;
    const request = { now: clock.now(), handlers: [this.#handler], limit, prefetch: more };
    const { deliveries, prefetched } = await store.claim(request);
    expect(deliveries.length).toBeLessThanOrEqual(limit);
    expect(prefetched.left()).toBeLessThanOrEqual(more);
    for (const delivery of deliveries) this.#add(delivery);
    const started = read === 0 ? [] : (await prefetched.next(read)).deliveries;
    for (const delivery of started) this.#add(delivery, true);
    const left = prefetched.left();
    const unread = prefetched.withdraw(prefetched.handlers());
    expect([unread.length, prefetched.left(), (await prefetched.next(1)).deliveries]).toEqual([left, 0, []]);
    await store.release(unread, { dueAt: clock.now() });
    return deliveries.length + started.length;
  }

  /** Completes all deliveries in flight in one operation. */
  async endAll(continues: boolean): Promise<void> {
    const together = [...this.inFlight.values()];
    const following = await this.#fixture.store.succeed(together, {
      now: this.#fixture.clock.now(),
      next: continues,
    });
    this.inFlight.clear();
    this.ended.push(...together);
    for (const { at, delivery: next } of following) {
      const delivery = readable(next);
      expect(continues).toBe(true);
      expect(together[at] && this.laneOf(together[at])).toBe(this.laneOf(delivery));
      this.#add(delivery);
    }
  }

  async end(delivery: ClaimedDelivery, dead: boolean, next: boolean): Promise<void> {
    const how = dead ? ({ status: 'dead', reason: 'x' } as const) : ({ status: 'succeeded' } as const);
    const now = this.#fixture.clock.now();
    const following = readable(await this.#fixture.store.complete(delivery, how, { now, next }));
    this.inFlight.delete(this.laneOf(delivery));
    this.ended.push(delivery);
    if (following === null) return;
    expect(next).toBe(true);
    expect(this.laneOf(following)).toBe(this.laneOf(delivery));
    this.#add(following);
  }

  /** Returns the handler's deliveries by status, from the statistics. */
  async counted(): Promise<Readonly<Record<string, number>>> {
    const { byHandler } = await this.#fixture.store.statistics();
    const { handler: _, ...counts } = byHandler.find(({ handler }) => handler === this.#handler) ?? {};
    return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
  }

  /** Returns the handler's deliveries by status, from a list. */
  async listed(): Promise<Readonly<Record<string, number>>> {
    const filter = { handler: this.#handler };
    const list = await this.#fixture.store.deliveries(filter, { order: 'oldest', limit: 1_000 });
    const statuses = [...new Set(list.map(({ status }) => status))];
    return Object.fromEntries(
      statuses.map((status) => [status, list.filter((delivery) => delivery.status === status).length]),
    );
  }

  /** Returns the lane, whose deliveries run one at a time. */
  laneOf({ id, event }: ClaimedDelivery): string {
    if (this.#order === 'none') return id;
    return this.#order === 'handler' ? 'all' : event.subject.id;
  }

  #add(delivery: ClaimedDelivery, prefetched = false): void {
    const lane = this.laneOf(delivery);
    expect(this.inFlight.has(lane), `two deliveries in flight in lane ${lane}`).toBe(false);
    expect(delivery.attempt).toBe((this.#attempts.get(delivery.id) ?? 0) + 1);
    this.inFlight.set(lane, delivery);
    expect(prefetched && this.#interrupted.has(delivery.id), 'prefetched again').toBe(false);
    if (prefetched) this.#prefetched.add(delivery.id);
    else this.#prefetched.delete(delivery.id);
  }

  #inFlightAt(number: number): ClaimedDelivery | undefined {
    const all = [...this.inFlight.values()];
    return all[number % Math.max(1, all.length)];
  }
}

const numberOf = ({ event }: ClaimedDelivery) => Number(event.id.slice(event.id.indexOf('-') + 1));

export function laneProperties(kind: StoreKind): void {
  test.each(['subject', 'handler', 'none'] as const)(
    'order %s: no overlap, no reordering and no loss, whatever happens',
    async (order) => {
      const fixture = await openFixture(kind);
      let run = 0;
      await fc.assert(
        fc.asyncProperty(steps, async (plan) => {
          const watcher = new Watcher(fixture, `${order}-${String((run += 1))}`, order);
          for (const step of plan) await watcher.take(step);

          // Then everything completes, including deliveries that wait after crashes.
          fixture.clock.advance(60_000);
          do {
            for (const delivery of watcher.inFlight.values()) await watcher.end(delivery, false, false);
          } while ((await watcher.claim(3)) > 0);

          expect(watcher.ended).toHaveLength(watcher.accepted);
          for (const delivery of watcher.ended) {
            const lane = watcher.ended.filter((other) => watcher.laneOf(other) === watcher.laneOf(delivery));
            const numbers = lane.map(numberOf);
            expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
          }
          expect(await watcher.counted()).toEqual(await watcher.listed());
        }),
        { numRuns: propertyRuns(60) },
      );
    },
  );

  test('a busy lane starves no other: each round serves every lane', async () => {
    const fixture = await openFixture(kind);
    for (const content of ['1', '2', '3', '4', '5', '6'])
      await fixture.stored({ subject: 'busy:1', content });
    for (const id of ['a', 'b', 'c']) await fixture.stored({ subject: `quiet:${id}` });

    const served: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      fixture.clock.advance(1);
      const delivery = await fixture.claimOne({ limit: 1 });
      served.push(delivery.event.subject.family + delivery.event.subject.id);
      await fixture.succeed(delivery);
    }

    expect(served).toEqual(['busy1', 'quieta', 'quietb', 'quietc']);
  });

  test('a lane that keeps failing starves no other', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ subject: 'failing:1' });
    for (const id of ['a', 'b']) await fixture.stored({ subject: `quiet:${id}` });

    const served: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      fixture.clock.advance(1);
      const delivery = await fixture.claimOne({ limit: 1 });
      const now = fixture.clock.now();
      served.push(delivery.event.subject.family + delivery.event.subject.id);
      if (delivery.event.subject.family === 'failing')
        await fixture.store.reschedule(delivery, { now, dueAt: now, reason: 'x' });
      else await fixture.succeed(delivery);
    }

    expect(served).toEqual(['failing1', 'quieta', 'quietb']);
  });
}
