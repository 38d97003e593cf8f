import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ClaimedDelivery } from '../../../src/store/lane-queue.ts';
import { createPauseLookup, type Pause, type PauseScope } from '../../../src/store/pauses.ts';
import { openFixture, readable, type StoreFixture } from '../store-fixture.ts';
import { route } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';
import { propertyRuns } from '../../support/property-runs.ts';

type Step =
  | { readonly do: 'receive'; readonly subject: number }
  | { readonly do: 'claim'; readonly limit: number; readonly prefetch: number }
  | { readonly do: 'end' | 'fail' | 'release'; readonly which: number; readonly next: boolean }
  | { readonly do: 'pause'; readonly scope: number; readonly ms: number }
  | { readonly do: 'die' | 'resume' | 'retry'; readonly which: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'crash' };

const which = fc.nat({ max: 20 });
const one = <T extends Step['do']>(name: T) => fc.constant(name);
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: one('receive'), subject: fc.nat({ max: 3 }) }) },
    {
      weight: 4,
      arbitrary: fc.record({ do: one('claim'), limit: fc.nat({ max: 3 }), prefetch: fc.nat({ max: 3 }) }),
    },
    { weight: 4, arbitrary: fc.record({ do: one('end'), which, next: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ do: one('fail'), which, next: fc.constant(false) }) },
    { weight: 1, arbitrary: fc.record({ do: one('release'), which, next: fc.constant(false) }) },
    { weight: 3, arbitrary: fc.record({ do: one('pause'), scope: which, ms: fc.nat({ max: 90 }) }) },
    { weight: 2, arbitrary: fc.record({ do: one('resume'), which }) },
    { weight: 2, arbitrary: fc.record({ do: one('die'), which }) },
    { weight: 1, arbitrary: fc.record({ do: one('retry'), which }) },
    { weight: 1, arbitrary: fc.record({ do: one('wait'), ms: fc.nat({ max: 60 }) }) },
    { weight: 1, arbitrary: fc.record({ do: one('crash') }) },
  ),
  { maxLength: 60, size: 'max' },
);

/** Does what the steps say, and checks at each start that nothing paused starts. */
class Run {
  readonly inFlight: ClaimedDelivery[] = [];
  readonly ended: ClaimedDelivery[] = [];
  received = 0;
  readonly #fixture: StoreFixture;
  readonly #handler: string;
  #paused: readonly Pause[] = [];

  constructor(fixture: StoreFixture, handler: string) {
    this.#fixture = fixture;
    this.#handler = handler;
  }

  async take(step: Step): Promise<void> {
    const { store, clock } = this.#fixture;
    const now = clock.now();
    switch (step.do) {
      case 'receive': {
        this.received += 1;
        const source = `${this.#handler}-${String(step.subject % 2)}`;
        const sketch = { source, subject: `company:${String(step.subject)}`, content: String(this.received) };
        await this.#fixture.stored(sketch, [route(this.#handler)]);
        return;
      }
      case 'claim':
        await this.claim(step.limit, step.prefetch);
        return;
      case 'pause': {
        const until = step.ms < 45 ? null : now + step.ms;
        const about = { reason: 'x', pausedBy: 'ana', until, now };
        const paused = await store.pause(this.#scope(step.scope), about);
        this.#paused = [...this.#paused.filter(({ id }) => id !== paused.id), paused];
        return;
      }
      case 'resume': {
        const operators = this.#paused.filter(({ deadLetter }) => deadLetter === null);
        const pause = operators[step.which % Math.max(1, operators.length)];
        await this.resume(pause === undefined ? [] : [pause]);
        return;
      }
      case 'retry': {
        const held = this.#paused.filter(({ deadLetter }) => deadLetter !== null);
        await this.retry(held.slice(step.which % Math.max(1, held.length)).slice(0, 1));
        return;
      }
      case 'wait':
        clock.advance(step.ms);
        return;
      case 'crash':
        await store.recover();
        this.inFlight.length = 0;
        return;
      default: {
        const [delivery] = this.inFlight.splice(step.which % Math.max(1, this.inFlight.length), 1);
        if (delivery === undefined) return;
        if (step.do === 'end') await this.end(delivery, step.next);
        else if (step.do === 'die') await this.die(delivery);
        else if (step.do === 'release') await store.release([delivery], { dueAt: now });
        else await store.reschedule(delivery, { now, dueAt: now + step.which, reason: 'x' });
      }
    }
  }

  async claim(limit: number, prefetch = 0): Promise<number> {
    const now = this.#fixture.clock.now();
    const request = { now, handlers: [this.#handler], limit, prefetch };
    const { deliveries, prefetched } = await this.#fixture.store.claim(request);
    const started = [...deliveries, ...(prefetch === 0 ? [] : (await prefetched.next(prefetch)).deliveries)];
    for (const delivery of started) this.#start(delivery);
    await this.#fixture.store.release(prefetched.withdraw(prefetched.handlers()), { dueAt: now });
    return started.length;
  }

  async end(delivery: ClaimedDelivery, next: boolean): Promise<void> {
    const now = this.#fixture.clock.now();
    const following = await this.#fixture.store.complete(delivery, { status: 'succeeded' }, { now, next });
    this.ended.push(delivery);
    if (following !== null) this.#start(readable(following));
  }

  async finish(): Promise<void> {
    await this.retry(this.#paused.filter(({ deadLetter }) => deadLetter !== null));
    await this.resume(this.#paused);
    this.#fixture.clock.advance(60_000);
    do for (const delivery of this.inFlight.splice(0)) await this.end(delivery, false);
    while ((await this.claim(3)) > 0);
  }

  /** The delivery becomes a dead letter that holds its lane. */
  async die(delivery: ClaimedDelivery): Promise<void> {
    const { store, clock } = this.#fixture;
    const end = { status: 'dead', reason: 'x', hold: true } as const;
    expect(await store.complete(delivery, end, { now: clock.now(), next: true })).toBeNull();
    const held = (await store.pauses()).filter(({ deadLetter }) => deadLetter === delivery.id);
    expect(held).toHaveLength(1);
    this.#paused = [...this.#paused, ...held];
  }

  async retry(held: readonly Pause[]): Promise<void> {
    const ids = held.map(({ deadLetter }) => deadLetter ?? '');
    await this.#fixture.store.retryDeliveries(ids, this.#fixture.clock.now());
    this.#paused = this.#paused.filter((pause) => !held.includes(pause));
  }

  async resume(pauses: readonly Pause[]): Promise<void> {
    await this.#fixture.store.resume(pauses.map(({ id }) => id));
    this.#paused = this.#paused.filter((pause) => !pauses.includes(pause));
  }

  #start(delivery: ClaimedDelivery): void {
    const now = this.#fixture.clock.now();
    const inForce = this.#paused.filter(({ until }) => until === null || until > now);
    const { handler, event } = delivery;
    const pause = createPauseLookup(inForce).of({ handler, source: event.source, subject: event.subject });
    expect(pause, `${delivery.id} started while it was paused`).toBeUndefined();
    this.inFlight.push(delivery);
  }

  #scope(number: number): PauseScope {
    const handler = this.#handler;
    const subject = { family: 'company', id: String(number % 4) };
    const scopes: readonly PauseScope[] = [
      { handler, source: null, subject: null },
      { handler: null, source: `${handler}-${String(number % 2)}`, subject: null },
      { handler, source: `${handler}-${String(number % 2)}`, subject: null },
      { handler, source: null, subject },
      { handler, source: null, subject },
    ];
    return scopes[number % scopes.length] ?? { handler, source: null, subject: null };
  }
}

const numberOf = ({ event }: ClaimedDelivery) => Number(event.id.slice(event.id.indexOf('-') + 1));

export function pauseProperties(kind: StoreKind): void {
  test('nothing paused starts, nothing is lost, and lanes keep their order, whatever happens', async () => {
    const fixture = await openFixture(kind);
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        const run = new Run(fixture, `paused-${String((runs += 1))}`);
        for (const step of plan) await run.take(step);
        await run.finish();

        expect(run.ended).toHaveLength(run.received);
        for (const lane of Map.groupBy(run.ended, ({ lane: name }) => name).values()) {
          const numbers = lane.map(numberOf);
          expect(numbers).toEqual(numbers.toSorted((first, second) => first - second));
        }
      }),
      { numRuns: propertyRuns(80) },
    );
  });
}
