/** Of a lane of `order: 'latest'` the newest runs: whatever happens, in any order and at the same time. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ClaimedDelivery } from '../../../src/store/lane-queue.ts';
import type { Store } from '../../../src/store/store.ts';
import type { ManualClock } from '../../../src/testing/manual-clock.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { route, sampleEvent } from '../sample-event.ts';
import { openFixture } from '../store-fixture.ts';
import type { StoreKind } from '../store-place.ts';

type Ending = 'succeeded' | 'dead' | 'failed' | 'released';

type Step =
  | { readonly do: 'accept'; readonly subject: number; readonly version: number | null }
  | { readonly do: 'claim'; readonly by: number; readonly limit: number; readonly prefetch: number }
  | { readonly do: 'end'; readonly which: number; readonly how: Ending }
  | { readonly do: 'retry dead' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('accept' as const),
      subject: fc.nat({ max: 1 }),
      version: fc.option(fc.nat({ max: 5 })),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('claim' as const),
      by: fc.nat({ max: 1 }),
      limit: fc.nat({ max: 2 }),
      prefetch: fc.nat({ max: 1 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      which: fc.nat({ max: 5 }),
      how: fc.constantFrom<Ending>('succeeded', 'succeeded', 'dead', 'failed', 'released'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('retry dead' as const) }) },
);

/** Steps of one moment are taken at the same time, then the clock advances. */
const moments = fc.array(
  fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 4 }), ms: fc.nat({ max: 30 }) }),
  { maxLength: 25, size: 'max' },
);

interface InFlight {
  readonly store: Store;
  readonly delivery: ClaimedDelivery;
}

const numberOf = (event: string): number => Number(event.slice(event.indexOf('-') + 1));

/** Takes the steps, and checks all along what must hold. */
class Watcher {
  readonly #inFlight = new Map<string, InFlight>();
  /** By subject: the events that may not be skipped at accept, whose acceptance is known. */
  readonly #arrived = new Map<string, number>();
  /** By subject: the newest event that began to run. */
  readonly #began = new Map<string, number>();
  readonly #retried = new Set<string>();
  accepted = 0;
  readonly #stores: readonly Store[];
  readonly #clock: ManualClock;
  readonly #handler: string;
  readonly #quietMs: number;

  constructor(stores: readonly Store[], clock: ManualClock, handler: string, quietMs: number) {
    this.#stores = stores;
    this.#clock = clock;
    this.#handler = handler;
    this.#quietMs = quietMs;
  }

  async take(one: Step): Promise<void> {
    const [first] = this.#stores;
    switch (one.do) {
      case 'accept': {
        this.accepted += 1;
        const subject = `company:${String(one.subject)}`;
        const content = String(this.accepted);
        // Of half the subjects, events have versions.
        const version = one.subject === 1 || one.version === null ? null : String(one.version);
        const receivedAt = this.#clock.now();
        const event = sampleEvent({ source: this.#handler, subject, content, version, receivedAt });
        const acceptance = await first?.accept(event, [route(this.#handler)]);
        if (acceptance?.status !== 'stored') throw new Error('not stored');
        if (acceptance.verdict !== 'new') return;
        const before = this.#arrived.get(subject) ?? 0;
        this.#arrived.set(subject, Math.max(before, numberOf(acceptance.id)));
        return;
      }
      case 'claim':
        await this.claim(one.by, one.limit, one.prefetch);
        return;
      case 'end': {
        const all = [...this.#inFlight.values()];
        const found = all[one.which % Math.max(1, all.length)];
        if (found !== undefined) await this.#end(found, one.how);
        return;
      }
      case 'retry dead': {
        const dead = await this.#listed('dead');
        for (const id of dead) this.#retried.add(id);
        await first?.retryDeliveries(dead, this.#clock.now());
      }
    }
  }

  async claim(by: number, limit: number, prefetch: number): Promise<number> {
    const store = this.#stores[by % this.#stores.length];
    const known = new Map(this.#arrived);
    const [handler, now, quietMs] = [this.#handler, this.#clock.now(), this.#quietMs];
    const latest = [{ handler, quietMs, maxWaitMs: 3 * quietMs }];
    const claim = await store?.claim({ now, limit, prefetch, handlers: [handler], latest });
    if (store === undefined || claim === undefined) return 0;
    const { deliveries } = await claim.prefetched.next(prefetch);
    const started = [...claim.deliveries, ...deliveries];
    for (const delivery of started) this.#begin(store, delivery, known);
    return started.length;
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#inFlight.values()].map((found) => this.#end(found, 'succeeded')));
  }

  /** What must hold once nothing waits: the newest has run, and each delivery has ended in one way. */
  async finished(): Promise<void> {
    for (const [subject, newest] of this.#arrived)
      expect(this.#began.get(subject), `the newest of ${subject} has run`).toBe(newest);
    const store = this.#stores[0];
    const { byHandler } = (await store?.statistics()) ?? { byHandler: [] };
    const counts = byHandler.find(({ handler }) => handler === this.#handler);
    const list = (await store?.deliveries({ handler: this.#handler }, { order: 'oldest', limit: 999 })) ?? [];
    expect(list).toHaveLength(this.accepted);
    for (const status of ['pending', 'running', 'succeeded', 'skipped', 'dead'] as const)
      expect(counts?.[status] ?? 0, status).toBe(list.filter((each) => each.status === status).length);
    expect((counts?.pending ?? 0) + (counts?.running ?? 0)).toBe(0);
    for (const { status, lastError, eventId } of list)
      if (status === 'skipped' && lastError?.startsWith('superseded by ') === true)
        expect(numberOf(lastError), 'the superseding event is later').toBeGreaterThan(numberOf(eventId));
  }

  #begin(store: Store, delivery: ClaimedDelivery, known: ReadonlyMap<string, number>): void {
    const subject = `company:${delivery.event.subject.id}`;
    const number = numberOf(delivery.event.id);
    expect(this.#inFlight.has(subject), `two run in ${subject}`).toBe(false);
    this.#inFlight.set(subject, { store, delivery });
    if (this.#retried.has(delivery.id)) return;
    expect(number, `newer than all that had arrived in ${subject}`).toBeGreaterThanOrEqual(
      known.get(subject) ?? 0,
    );
    this.#began.set(subject, Math.max(number, this.#began.get(subject) ?? 0));
  }

  async #end({ store, delivery }: InFlight, how: Ending): Promise<void> {
    const now = this.#clock.now();
    // Before the outcome is stored: another claim may begin the next one before this call returns.
    this.#inFlight.delete(`company:${delivery.event.subject.id}`);
    if (how === 'failed') await store.reschedule(delivery, { now, dueAt: now + 20, reason: 'down' });
    else if (how === 'released') await store.release([delivery], { dueAt: now });
    else {
      const end = how === 'dead' ? { status: how, reason: 'rejected' } : { status: how };
      await store.complete(delivery, end, { now, next: false });
    }
  }

  async #listed(status: 'dead'): Promise<readonly string[]> {
    const filter = { handler: this.#handler, status };
    const list = await this.#stores[0]?.deliveries(filter, { order: 'oldest', limit: 99 });
    return (list ?? []).map(({ id }) => id);
  }
}

export function latestProperties(kind: StoreKind): void {
  test.each([0, 25])(
    'with a quiet time of %i ms, the newest always has a run that begins after its arrival, one at a time',
    async (quietMs) => {
      const fixture = await openFixture(kind);
      const { store, clock } = fixture;
      // Both read one clock.
      const stores = kind.shared === true ? [store, await fixture.openAgain('owner')] : [store];
      let run = 0;
      await fc.assert(
        fc.asyncProperty(moments, async (plan) => {
          const watcher = new Watcher(stores, clock, `h${String((run += 1))}`, quietMs);
          for (const { steps, ms } of plan) {
            await Promise.all(steps.map((one) => watcher.take(one)));
            clock.advance(ms);
          }
          let idle = 0;
          while (idle < 2) {
            await watcher.endAll();
            clock.advance(1_000);
            idle = (await watcher.claim(0, 9, 0)) === 0 ? idle + 1 : 0;
          }
          await watcher.finished();
        }),
        { numRuns: propertyRuns(100) },
      );
    },
  );
}
