import { expect, test } from 'vitest';
import type { RateTaking } from '../../../src/store/rates.ts';
import { openFixture, type StoreFixture } from '../store-fixture.ts';
import type { StoreKind } from '../store-place.ts';

const MINUTE_US = 60_000_000;

function taking(delivery: string, more: Partial<RateTaking> = {}): RateTaking {
  return { bucket: 'anyone', key: '', delivery, intervalUs: MINUTE_US, burst: 1, ...more };
}

/** Claims everything that is due, and takes a call for each; what must wait is released as the dispatcher does it. */
async function startAll({ store, claim }: StoreFixture, more: Partial<RateTaking> = {}) {
  const deliveries = await claim();
  const takings = deliveries.map(({ id }) => taking(id, more));
  const dueAts = await store.takeRates(takings);
  const started = [];
  for (const [at, delivery] of deliveries.entries()) {
    const dueAt = dueAts[at] ?? null;
    if (dueAt === null) started.push(delivery);
    else await store.release([delivery], { dueAt, byRate: true });
  }
  return started;
}

/** Buckets of calls, and what waits for them. */
export function rateRules(kind: StoreKind): void {
  test('a full bucket gives each delivery a time of its own, and counts no attempt', async () => {
    const fixture = await openFixture(kind);
    const { store, clock } = fixture;
    const start = clock.now();
    for (const subject of ['company:1', 'company:2', 'company:3']) await fixture.stored({ subject });
    expect(await startAll(fixture)).toHaveLength(1);

    const rows = await store.deliveries({ status: 'pending' }, { order: 'oldest', limit: 10 });
    expect(rows.map(({ attempts, dueAt, rateUntil }) => [attempts, dueAt, rateUntil])).toEqual([
      [0, start + 60_000, start + 60_000],
      [0, start + 120_000, start + 120_000],
    ]);
    expect((await store.monitoring()).rates).toEqual({
      closed: [],
      waiting: [{ handler: 'anyone', lanes: 2, until: start + 60_000 }],
    });
    clock.advance(60_000);
    const [second, ...others] = await startAll(fixture);
    expect(second).toMatchObject({ attempt: 1, event: { subject: { id: '2' } } });
    expect(others).toEqual([]);
  });

  test('a lane shows that its head waits for its rate, not that it is tried again', async () => {
    const fixture = await openFixture(kind);
    const { store, clock } = fixture;
    const source = 'default';
    for (const subject of ['company:1', 'company:2']) await fixture.stored({ subject });
    const [first] = await startAll(fixture);
    const failure = { now: clock.now(), dueAt: clock.now() + 60_000, reason: 'Error: closed' };
    await store.reschedule(first!, failure);
    const byRate = async (id: string) =>
      (await store.lanesOf({ source, subject: { family: 'company', id } })).map(
        (lane) => lane.delivery.byRate,
      );
    expect([await byRate('1'), await byRate('2')]).toEqual([[false], [true]]);
  });

  test('buckets and their keys know nothing of each other, and all processes share them', async () => {
    const fixture = await openFixture(kind);
    const { store, clock } = fixture;
    const now = clock.now();
    const all = [
      taking('d1'),
      taking('d2'),
      taking('d3', { key: 'a' }),
      taking('d4', { bucket: 'rate:erp' }),
    ];
    expect(await store.takeRates(all)).toEqual([null, now + 60_000, null, null]);
    const other = await fixture.openAgain('guest');
    expect(await other.takeRates([taking('d5')])).toEqual([now + 120_000]);
  });

  test('a closed bucket starts nothing until it opens', async () => {
    const { store, clock } = await openFixture(kind);
    const now = clock.now();
    await store.closeRate({ bucket: 'anyone', key: '' }, { until: now + 5_000, now });
    expect(await store.takeRates([taking('d1')])).toEqual([now + 5_000]);
    clock.advance(5_000);
    expect(await store.takeRates([taking('d1')])).toEqual([null]);
  });

  test('a closed bucket is shown until it opens; of its keys, the one that opens last', async () => {
    const { store, clock } = await openFixture(kind);
    const now = clock.now();
    const closed = async () => (await store.monitoring()).rates.closed;
    await store.closeRate({ bucket: 'anyone', key: 'a' }, { until: now + 5_000, now });
    await store.closeRate({ bucket: 'anyone', key: 'b' }, { until: now + 1_000, now });
    expect(await closed()).toEqual([{ bucket: 'anyone', until: now + 5_000 }]);
    clock.advance(5_000);
    expect(await closed()).toEqual([]);
  });

  test('calls that are taken at once are as many as the limit allows', async () => {
    const { store, clock } = await openFixture(kind);
    const now = clock.now();
    const limit = { intervalUs: 100_000, burst: 5 };
    const batches = Array.from({ length: 20 }, (_, batch) =>
      Array.from({ length: 3 }, (_each, at) =>
        taking(`d${String(3 * batch + at + 1)}`, { ...limit, bucket: at === 2 ? 'other' : 'anyone' }),
      ).toSorted(() => (batch % 2 === 0 ? 1 : -1)),
    );
    const taken = await Promise.all(batches.map((batch) => store.takeRates(batch)));
    expect(taken.flat().filter((dueAt) => dueAt === null)).toHaveLength(2 * limit.burst);
    const later = taken.flat().filter((dueAt) => dueAt !== null);
    expect(Math.max(...later)).toBe(now + 100 * (40 - limit.burst));
  });

  test('a newer delivery that runs instead of one that has waited keeps the place of its lane', async () => {
    const fixture = await openFixture(kind);
    const { store, clock } = fixture;
    const start = clock.now();
    for (const subject of ['company:1', 'company:2', 'company:3', 'company:4'])
      await fixture.stored({ subject });
    expect(await startAll(fixture)).toHaveLength(1);
    await store.closeRate({ bucket: 'anyone', key: '' }, { until: start + 70_000, now: start });
    await fixture.stored({ subject: 'company:2', content: 'newer' });

    clock.advance(60_000);
    const latest = [{ handler: 'anyone', quietMs: 0, maxWaitMs: 0 }];
    const request = { now: clock.now(), limit: 100, handlers: ['anyone'], latest };
    const { deliveries } = await store.claim(request);

    expect(deliveries).toMatchObject([{ event: { data: { content: 'newer' } } }]);
    expect(await store.takeRates(deliveries.map(({ id }) => taking(id)))).toEqual([start + 70_000]);
  });

  test('buckets that nobody uses are removed, as many as come', async () => {
    const { store, clock } = await openFixture(kind);
    const closed = async () => (await store.monitoring()).rates.closed.length;
    for (const bucket of ['one', 'two'])
      await store.closeRate({ bucket, key: '' }, { until: clock.now() + 1_000, now: clock.now() });
    clock.advance(3_602_000);
    await store.takeRates([taking('d1')]);
    // As of then, had they been kept.
    clock.jump(-3_602_000);
    expect(await closed()).toBe(0);
  });
}
