import { expect, test } from 'vitest';
import { fixtureAt, openFixture } from './store-fixture.ts';
import { bytes, sampleEvent, route, sampleRejection } from './sample-event.ts';
import type { StoreKind } from './store-place.ts';
import { eventNumber } from '../../src/handle/fold/event-number.ts';
import { createReplay } from '../support/replay-job.ts';

/** What is acknowledged is there after anything, and what was not finished runs again. */
export function durabilityRules(kind: StoreKind): void {
  test('a reopened store has everything that it stored', async () => {
    const fixture = await openFixture(kind);
    const body = Uint8Array.from({ length: 256 }, (_, value) => value);
    const id = await fixture.stored({ content: 'A', body, version: '3' });
    await fixture.store.quarantine(sampleRejection({ body }));
    const { storeId } = fixture.store;
    const statistics = await fixture.store.statistics();
    await fixture.store.close();

    const again = await fixtureAt(fixture.place, fixture.clock);

    expect(again.store.storeId).toBe(storeId);
    expect((await again.store.event(id))?.body).toEqual(body);
    expect((await again.store.quarantinedDelivery('q1'))?.body).toEqual(body);
    expect(await again.accept({ content: 'old', version: '2' })).toMatchObject({ verdict: 'stale' });
    expect(await again.accept({ content: 'A', version: '3' })).toEqual({ status: 'duplicate', id });
    const { bytes: _, ...counts } = statistics;
    expect(counts).toMatchObject({ events: 1, quarantined: 1 });
  });

  test('commits events accepted before the store closes', async () => {
    const fixture = await openFixture(kind);

    const accepting = Promise.all(['A', 'B', 'C'].map((content) => fixture.accept({ content })));
    await fixture.store.close();

    expect(await accepting).toHaveLength(3);
    const again = await fixtureAt(fixture.place, fixture.clock);
    expect(await again.store.events({}, { order: 'oldest', limit: 9 })).toHaveLength(3);
  });

  test('acknowledged events survive a power failure', async () => {
    const fixture = await openFixture(kind);
    const acceptances = await Promise.all(
      Array.from({ length: 200 }, (_, index) => fixture.accept({ subject: `company:${String(index)}` })),
    );

    const after = await fixtureAt(await fixture.place.afterPowerFailure(), fixture.clock);

    const events = await after.store.events({}, { order: 'oldest', limit: 500 });
    expect(events.map(({ id }) => id)).toEqual(acceptances.map(({ id }) => id));
    expect(await after.claim({ limit: 500 })).toHaveLength(200);
  });

  test('recover makes interrupted deliveries pending, counts the attempt and keeps the lane in order', async () => {
    const fixture = await openFixture(kind);
    const first = await fixture.stored({ content: 'A' });
    const second = await fixture.stored({ content: 'B' });
    await fixture.claimOne();

    const after = await fixtureAt(await fixture.place.afterPowerFailure(), fixture.clock);
    expect(await after.claim()).toEqual([]);
    expect(await after.store.recover()).toBe(1);

    const again = await after.claimOne();
    expect(again).toMatchObject({ attempt: 2, event: { id: first } });
    expect(await after.succeed(again, true)).toMatchObject({ attempt: 1, event: { id: second } });
  });

  test('recover starts repeatedly interrupted deliveries one by one: most attempts first, alternating among ties', async () => {
    const fixture = await openFixture(kind);
    for (const subject of ['a', 'b', 'c']) await fixture.stored({ subject: `company:${subject}` });
    const started: string[][] = [];
    /** Claims everything that is due, and crashes. */
    const crash = async () => {
      started.push((await fixture.claim()).map(({ event }) => event.subject.id));
      await fixture.store.recover();
    };

    await crash();
    await crash();
    await crash();
    fixture.clock.advance(1_000);
    await crash();
    fixture.clock.advance(60_000);
    await crash();

    expect(started).toEqual([['a', 'b', 'c'], ['a', 'b', 'c'], ['a'], ['a', 'b'], ['a', 'b', 'c']]);
    const rows = await fixture.store.deliveries({}, { order: 'oldest', limit: 9 });
    expect(rows.map(({ attempts }) => attempts)).toEqual([5, 4, 3]);
    expect(rows[0]).toMatchObject({ status: 'pending', lastError: 'the process ended during attempt 5' });
  });

  test('a crash counts no attempt of a prefetched delivery, which is not prefetched again', async () => {
    const fixture = await openFixture(kind);
    for (const subject of ['a', 'b', 'c']) await fixture.stored({ subject: `company:${subject}` });
    const claim = () =>
      fixture.store.claim({ now: fixture.clock.now(), handlers: ['anyone'], limit: 1, prefetch: 9 });
    const first = await claim();
    expect([first.deliveries.length, first.prefetched.left()]).toEqual([1, 2]);

    expect(await fixture.store.recover()).toBe(3);

    const rows = await fixture.store.deliveries({}, { order: 'oldest', limit: 9 });
    expect(rows.map(({ attempts, lastError }) => [attempts, lastError])).toEqual([
      [1, 'the process ended during attempt 1'],
      [0, 'the process ended before attempt 1 was over'],
      [0, 'the process ended before attempt 1 was over'],
    ]);
    const second = await claim();
    expect([second.deliveries.length, second.prefetched.left()]).toEqual([1, 0]);
    expect((await fixture.claim()).map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  test('recover finds nothing after a regular shutdown', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({});
    await fixture.store.release([await fixture.claimOne()], { dueAt: fixture.clock.now() });

    expect(await fixture.store.recover()).toBe(0);
    expect(await fixture.claimOne()).toMatchObject({ attempt: 1 });
  });

  test('a start with the clock hours behind ends the waits', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ subject: 'company:1' });
    await fixture.stored({ subject: 'company:2' });
    await fixture.store.close();
    fixture.clock.jump(-24 * 3_600_000);

    const again = await fixtureAt(fixture.place, fixture.clock);
    await again.store.recover();

    expect(await again.claim()).toHaveLength(2);
  });

  test('an attempt that a watchdog interrupted is kept as such, and counts', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({});
    const now = fixture.clock.now();
    const running = await fixture.claimOne();
    const failure = { now, dueAt: now, reason: 'blocked', outcome: 'interrupted' } as const;
    await fixture.store.reschedule(running, failure);

    expect(await fixture.store.attempts([running.id])).toMatchObject([
      { attempt: 1, outcome: 'interrupted', error: 'blocked' },
    ]);
    expect(await fixture.claimOne()).toMatchObject({ attempt: 2 });
  });

  test('a rescheduled delivery keeps its due time across a restart', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({});
    const now = fixture.clock.now();
    await fixture.store.reschedule(await fixture.claimOne(), { now, dueAt: now + 500, reason: 'x' });
    await fixture.store.close();

    const again = await fixtureAt(fixture.place, fixture.clock);
    await again.store.recover();

    expect(await again.claim()).toEqual([]);
    fixture.clock.advance(500);
    expect(await again.claimOne()).toMatchObject({ attempt: 2 });
  });

  test("a machine's state and its delivery's outcome survive a power failure together", async () => {
    const fixture = await openFixture(kind);
    const id = await fixture.stored({ content: 'A' }, [route('machine')]);
    const machine = {
      machine: 'machine',
      state: 1,
      version: null,
      lastEventId: id,
      revision: 0,
      anomalies: [],
      refolded: false,
      effects: [],
    };
    const delivery = await fixture.claimOne({ handlers: ['machine'] });
    await fixture.store.complete(
      delivery,
      { status: 'succeeded', machine },
      { now: fixture.clock.now(), next: false },
    );

    const after = await fixtureAt(await fixture.place.afterPowerFailure(), fixture.clock);

    expect(await after.store.recover()).toBe(0);
    expect(await after.claim({ handlers: ['machine'] })).toEqual([]);
    const state = await after.store.machineState('machine', 'default', { family: 'company', id: '1' });
    expect(state).toMatchObject({ state: 1, revision: 1 });
  });

  test.runIf(kind.shared)('a second owner claims what the first has not claimed', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ subject: 'company:1' });
    await fixture.stored({ subject: 'company:2' });
    const second = await fixtureAt(fixture.place, fixture.clock);

    const [own] = await fixture.claim({ limit: 1 });
    const other = await second.claimOne();

    expect(other.id).not.toBe(own?.id);
    await second.succeed(other);
    expect(await fixture.claim()).toEqual([]);
  });

  test.skipIf(kind.shared)('rejects a second owner until the first has closed the store', async () => {
    const fixture = await openFixture(kind);

    await expect(fixture.openAgain('owner')).rejects.toMatchObject({
      code: 'store-locked',
      message: expect.stringContaining('another running Portaria') as string,
    });

    await fixture.store.close();
    await expect(fixture.openAgain('owner')).resolves.toBeDefined();
  });

  test('a guest reads and writes next to the owner, whose next claim sees the writes', async () => {
    const fixture = await openFixture(kind);
    const first = await fixture.stored({ content: 'A' });
    const dead = await fixture.claimOne();
    await fixture.store.complete(
      dead,
      { status: 'dead', reason: 'x' },
      { now: fixture.clock.now(), next: false },
    );
    await fixture.store.quarantine(sampleRejection({ body: bytes('x') }));
    const guest = await fixture.openAgain('guest');

    expect(await guest.events({}, { order: 'oldest', limit: 9 })).toMatchObject([{ id: first }]);
    expect(await guest.retryDeliveries([dead.id], fixture.clock.now())).toEqual([dead.id]);
    expect(await fixture.claimOne()).toMatchObject({ id: dead.id });

    const event = sampleEvent({ content: 'B', subject: 'company:2' });
    const released = await guest.accept(event, [route('anyone')], { releases: 'q1' });
    expect(await fixture.claimOne()).toMatchObject({ event: { id: released.id, flags: ['released'] } });

    const replay = await createReplay(guest, { handlers: ['anyone'] }, fixture.clock.now());
    await guest.enqueueReplay(replay.id, [{ route: route('other'), events: [eventNumber(first)] }], {
      cursor: first,
      now: fixture.clock.now(),
    });
    expect(await fixture.claimOne({ handlers: ['other'] })).toMatchObject({ replay: replay.id });
  });

  test('rejects claims of a guest', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({});
    const guest = await fixture.openAgain('guest');

    const claim = guest.claim({ now: fixture.clock.now(), limit: 1, handlers: ['anyone'] });

    await expect(claim).rejects.toMatchObject({ code: 'store-locked' });
    await expect(guest.recover()).rejects.toMatchObject({ code: 'store-locked' });
    expect(await fixture.claim()).toHaveLength(1);
  });
}
