/** Given 200,000 events of one subject whose handler wants the newest: no webhook and no other subject waits for them. */
import { expect, onTestFinished, test } from 'vitest';
import { seededRandom } from '../../src/kernel/random.ts';
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { route, sampleEvent } from '../conformance/sample-event.ts';
import { sqliteBuilt } from '../conformance/built-threads.ts';
import { printFigures } from '../faults/kit/figures.ts';
import { createDatabase, postgresOfTest } from '../faults/kit/programs/receivers.ts';

const WAITING = 200_000;
const AT_ONCE = 2_000;
/** The longest wait of a webhook or claim in milliseconds. A step takes some 10, all of the lane in one piece seconds. */
const MAX_MS = 250;

const clock = manualClock();
const latest = [{ handler: 'anyone', quietMs: 0, maxWaitMs: 0 }];

let arrived = 0;
function accept(store: Store, subject: string) {
  const sketch = { subject, content: String((arrived += 1)), receivedAt: clock.now() };
  return store.accept(sampleEvent(sketch), [route('anyone')]);
}

async function timed<T>(action: () => Promise<T>): Promise<readonly [ms: number, result: T]> {
  const before = performance.now();
  const result = await action();
  return [performance.now() - before, result];
}

async function openSqlite(): Promise<Store> {
  const place = await sqliteBuilt.place();
  onTestFinished(() => place.remove());
  return place.open('owner', clock);
}

async function openPostgres(): Promise<Store> {
  const url = await createDatabase(await postgresOfTest());
  return openPostgresStore({ url, role: 'owner', clock, random: seededRandom(1) });
}

async function givenCrowdedLane(open: () => Promise<Store>): Promise<Store> {
  const store = await open();
  onTestFinished(() => store.close());
  for (let stored = 0; stored < WAITING; stored += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => accept(store, 'company:1')));
  return store;
}

test.each([
  ['SQLite', openSqlite],
  ['PostgreSQL', openPostgres],
] as const)(
  '%s: webhooks and claims of others do not wait while a lane is cleared',
  async (name, open) => {
    const store = await givenCrowdedLane(open);
    const waits = { other: 0, same: 0, claim: 0 };
    const claim = () => store.claim({ now: clock.now(), limit: 10, handlers: ['anyone'], latest });
    const began = performance.now();
    let superseded = 0;
    let ranOfLane = false;
    for (let round = 0; !ranOfLane; round += 1) {
      const [claimed, other, same] = await Promise.all([
        timed(claim),
        timed(() => accept(store, `company:${String(round + 2)}`)),
        // One more of the lane in each round: it never holds up its own webhooks either.
        timed(() => accept(store, 'company:1')),
      ]);
      waits.claim = Math.max(waits.claim, claimed[0]);
      waits.other = Math.max(waits.other, other[0]);
      waits.same = Math.max(waits.same, same[0]);
      for (const { deliveries } of claimed[1].superseded) superseded += deliveries;
      for (const delivery of claimed[1].deliveries) {
        ranOfLane ||= delivery.event.subject.id === '1';
        await store.complete(delivery, { status: 'succeeded' }, { now: clock.now(), next: false });
      }
    }
    const [after] = await timed(() => accept(store, 'company:1'));
    printFigures(`${name}, a lane with ${String(WAITING)}`, {
      ...{ clearedInMs: performance.now() - began, superseded },
      ...{
        longestClaimMs: waits.claim,
        longestOtherMs: waits.other,
        longestSameMs: waits.same,
        afterMs: after,
      },
    });
    expect(superseded).toBeGreaterThanOrEqual(WAITING - 1);
    expect(Math.max(waits.claim, waits.other, waits.same, after)).toBeLessThan(MAX_MS);
  },
  600_000,
);
