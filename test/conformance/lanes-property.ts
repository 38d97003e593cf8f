import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ClaimedDelivery } from '../../src/store/lane-queue.ts';
import type { LaneOrder } from '../../src/store/route.ts';
import { openFixture, readable, type StoreFixture } from './store-fixture.ts';
import { route } from './sample-event.ts';
import type { StoreKind } from './store-place.ts';

type Step =
  | { readonly do: 'accept'; readonly subject: number }
  | { readonly do: 'claim'; readonly limit: number; readonly ahead: number; readonly read: number }
  | { readonly do: 'end'; readonly which: number; readonly dead: boolean; readonly next: boolean }
  | { readonly do: 'end-all'; readonly next: boolean }
  | { readonly do: 'reschedule'; readonly which: number; readonly ms: number }
  | { readonly do: 'hand-back'; readonly which: number }
  | { readonly do: 'hand-back-all' }
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
        ahead: fc.nat({ max: 3 }),
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
    { weight: 1, arbitrary: fc.record({ do: fc.constant('hand-back' as const), which }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('hand-back-all' as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
  ),
  // By itself fast-check draws a few steps only, after which next to nothing can have been tried twice.
  { maxLength: 60, size: 'max' },
);

/** Does what the steps say and checks, all along, what must hold of lanes. */
class Watcher {
  readonly held = new Map<string, ClaimedDelivery>();
  readonly ended: ClaimedDelivery[] = [];
  /** Tries that count, by delivery. */
  readonly #tries = new Map<string, number>();
  /** Claimed ahead when they were last claimed: their tries count with their outcomes. */
  readonly #ahead = new Set<string>();
  /** Held when a process ended: one of these may be what ends it. */
  readonly #cutShort = new Set<string>();
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
    const delivery = 'which' in step ? this.#heldNumber(step.which) : undefined;
    switch (step.do) {
      case 'accept': {
        this.accepted += 1;
        const sketch = { source: this.#handler, subject: `company:${String(step.subject)}` };
        const routes = [route(this.#handler, { order: this.#order })];
        await this.#fixture.stored({ ...sketch, content: String(this.accepted) }, routes);
        return;
      }
      case 'claim':
        await this.claim(step.limit, step.ahead, step.read);
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
        this.held.delete(this.laneOf(delivery));
        this.#tries.set(delivery.id, delivery.attempt);
        return;
      }
      case 'hand-back':
        if (delivery === undefined) return;
        await store.release([delivery], { dueAt: clock.now() });
        this.held.delete(this.laneOf(delivery));
        return;
      case 'hand-back-all':
        await store.release([...this.held.values()], { dueAt: clock.now() });
        this.held.clear();
        return;
      case 'wait':
        clock.advance(step.ms);
        return;
      case 'crash':
        expect(await store.recover()).toBe(this.held.size);
        for (const { id, attempt } of this.held.values()) {
          this.#cutShort.add(id);
          if (!this.#ahead.has(id)) this.#tries.set(id, attempt);
        }
        this.held.clear();
    }
  }

  /** Of those claimed ahead some are read; the others are given back unread. */
  async claim(limit: number, more = 0, read = more): Promise<number> {
    const { store, clock } = this.#fixture;
    const request = { now: clock.now(), handlers: [this.#handler], limit, prefetch: more };
    const { deliveries, prefetched: ahead } = await store.claim(request);
    expect(deliveries.length).toBeLessThanOrEqual(limit);
    expect(ahead.left()).toBeLessThanOrEqual(more);
    for (const delivery of deliveries) this.#hold(delivery);
    const inTurn = read === 0 ? [] : (await ahead.next(read)).deliveries;
    for (const delivery of inTurn) this.#hold(delivery, true);
    const left = ahead.left();
    const unread = ahead.withdraw(ahead.handlers());
    expect([unread.length, ahead.left(), (await ahead.next(1)).deliveries]).toEqual([left, 0, []]);
    await store.release(unread, { dueAt: clock.now() });
    return deliveries.length + inTurn.length;
  }

  /** All together, in one operation. */
  async endAll(goesOn: boolean): Promise<void> {
    const together = [...this.held.values()];
    const following = await this.#fixture.store.succeed(together, {
      now: this.#fixture.clock.now(),
      next: goesOn,
    });
    this.held.clear();
    this.ended.push(...together);
    for (const { at, delivery: next } of following) {
      const delivery = readable(next);
      expect(goesOn).toBe(true);
      expect(together[at] && this.laneOf(together[at])).toBe(this.laneOf(delivery));
      this.#hold(delivery);
    }
  }

  async end(delivery: ClaimedDelivery, dead: boolean, next: boolean): Promise<void> {
    const how = dead ? ({ status: 'dead', reason: 'x' } as const) : ({ status: 'succeeded' } as const);
    const now = this.#fixture.clock.now();
    const following = readable(await this.#fixture.store.complete(delivery, how, { now, next }));
    this.held.delete(this.laneOf(delivery));
    this.ended.push(delivery);
    if (following === null) return;
    expect(next).toBe(true);
    expect(this.laneOf(following)).toBe(this.laneOf(delivery));
    this.#hold(following);
  }

  /** The handler's deliveries by status, as statistics give them, */
  async counted(): Promise<Readonly<Record<string, number>>> {
    const { byHandler } = await this.#fixture.store.statistics();
    const { handler: _, ...counts } = byHandler.find(({ handler }) => handler === this.#handler) ?? {};
    return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
  }

  /** and as a list of them does. */
  async listed(): Promise<Readonly<Record<string, number>>> {
    const filter = { handler: this.#handler };
    const list = await this.#fixture.store.deliveries(filter, { order: 'oldest', limit: 1_000 });
    const statuses = [...new Set(list.map(({ status }) => status))];
    return Object.fromEntries(
      statuses.map((status) => [status, list.filter((delivery) => delivery.status === status).length]),
    );
  }

  /** What the order promises to be one at a time. */
  laneOf({ id, event }: ClaimedDelivery): string {
    if (this.#order === 'none') return id;
    return this.#order === 'handler' ? 'all' : event.subject.id;
  }

  #hold(delivery: ClaimedDelivery, ahead = false): void {
    const lane = this.laneOf(delivery);
    expect(this.held.has(lane), `two at a time in lane ${lane}`).toBe(false);
    expect(delivery.attempt).toBe((this.#tries.get(delivery.id) ?? 0) + 1);
    this.held.set(lane, delivery);
    expect(ahead && this.#cutShort.has(delivery.id), 'claimed ahead once more').toBe(false);
    if (ahead) this.#ahead.add(delivery.id);
    else this.#ahead.delete(delivery.id);
  }

  #heldNumber(number: number): ClaimedDelivery | undefined {
    const held = [...this.held.values()];
    return held[number % Math.max(1, held.length)];
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

          // Left to itself, everything comes to its end, also what has to wait after crashes.
          fixture.clock.advance(60_000);
          do {
            for (const delivery of watcher.held.values()) await watcher.end(delivery, false, false);
          } while ((await watcher.claim(3)) > 0);

          expect(watcher.ended).toHaveLength(watcher.accepted);
          for (const delivery of watcher.ended) {
            const lane = watcher.ended.filter((other) => watcher.laneOf(other) === watcher.laneOf(delivery));
            const numbers = lane.map(numberOf);
            expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
          }
          expect(await watcher.counted()).toEqual(await watcher.listed());
        }),
        { numRuns: 60 },
      );
    },
    60_000,
  );

  test('a busy lane starves no other: each round serves every lane', async () => {
    const fixture = await openFixture(kind);
    for (const content of ['1', '2', '3', '4', '5', '6'])
      await fixture.stored({ subject: 'busy:1', content });
    for (const id of ['a', 'b', 'c']) await fixture.stored({ subject: `quiet:${id}` });

    const served: string[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
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
    for (let turn = 0; turn < 3; turn += 1) {
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
