import { expect, test } from 'vitest';
import { deskAt, openDesk } from './desk.ts';
import { bytes, sampleEvent, route, sampleRejection } from './sample-event.ts';
import type { StoreKind } from './store-place.ts';
import { eventNumber } from '../../src/handle/fold/event-number.ts';

/** What is acknowledged is there after anything, and what was not finished runs again. */
export function durabilityRules(kind: StoreKind): void {
  test('a closed store opens with all it held', async () => {
    const desk = await openDesk(kind);
    const body = Uint8Array.from({ length: 256 }, (_, value) => value);
    const id = await desk.stored({ content: 'A', body, version: '3' });
    await desk.store.quarantine(sampleRejection({ body }));
    const { storeId } = desk.store;
    const statistics = await desk.store.statistics();
    await desk.store.close();

    const again = await deskAt(desk.place, desk.clock);

    expect(again.store.storeId).toBe(storeId);
    expect((await again.store.event(id))?.body).toEqual(body);
    expect((await again.store.quarantinedDelivery('q1'))?.body).toEqual(body);
    expect(await again.accept({ content: 'old', version: '2' })).toMatchObject({ verdict: 'stale' });
    expect(await again.accept({ content: 'A', version: '3' })).toEqual({ status: 'duplicate', id });
    const { bytes: _, ...counts } = statistics;
    expect(counts).toMatchObject({ events: 1, quarantineHeld: 1 });
  });

  test('what was accepted as the store closes is committed', async () => {
    const desk = await openDesk(kind);

    const accepting = Promise.all(['A', 'B', 'C'].map((content) => desk.accept({ content })));
    await desk.store.close();

    expect(await accepting).toHaveLength(3);
    const again = await deskAt(desk.place, desk.clock);
    expect(await again.store.events({}, { order: 'oldest', limit: 9 })).toHaveLength(3);
  });

  test('all that was acknowledged survives a power failure', async () => {
    const desk = await openDesk(kind);
    const acceptances = await Promise.all(
      Array.from({ length: 200 }, (_, index) => desk.accept({ subject: `company:${String(index)}` })),
    );

    const after = await deskAt(await desk.place.afterPowerFailure(), desk.clock);

    const events = await after.store.events({}, { order: 'oldest', limit: 500 });
    expect(events.map(({ id }) => id)).toEqual(acceptances.map(({ id }) => id));
    expect(await after.claim({ limit: 500 })).toHaveLength(200);
  });

  test('what ran at the crash is pending again, its try counted, its lane in order', async () => {
    const desk = await openDesk(kind);
    const first = await desk.stored({ content: 'A' });
    const second = await desk.stored({ content: 'B' });
    await desk.claimOne();

    const after = await deskAt(await desk.place.afterPowerFailure(), desk.clock);
    expect(await after.claim()).toEqual([]);
    expect(await after.store.recover()).toBe(1);

    const again = await after.claimOne();
    expect(again).toMatchObject({ attempt: 2, event: { id: first } });
    expect(await after.succeed(again, true)).toMatchObject({ attempt: 1, event: { id: second } });
  });

  test('what was cut short again and again runs alone: the most tried first, ties in turns', async () => {
    const desk = await openDesk(kind);
    for (const subject of ['a', 'b', 'c']) await desk.stored({ subject: `company:${subject}` });
    const begun: string[][] = [];
    /** All that is due begins, and the process ends. */
    const endsAgain = async () => {
      begun.push((await desk.claim()).map(({ event }) => event.subject.id));
      await desk.store.recover();
    };

    await endsAgain();
    await endsAgain();
    await endsAgain();
    desk.clock.advance(1_000);
    await endsAgain();
    desk.clock.advance(60_000);
    await endsAgain();

    expect(begun).toEqual([['a', 'b', 'c'], ['a', 'b', 'c'], ['a'], ['a', 'b'], ['a', 'b', 'c']]);
    const rows = await desk.store.deliveries({}, { order: 'oldest', limit: 9 });
    expect(rows.map(({ attempts }) => attempts)).toEqual([5, 4, 3]);
    expect(rows[0]).toMatchObject({ status: 'pending', lastError: 'the process ended during attempt 5' });
  });

  test('what was claimed ahead loses no try to the end of the process, and is not claimed ahead again', async () => {
    const desk = await openDesk(kind);
    for (const subject of ['a', 'b', 'c']) await desk.stored({ subject: `company:${subject}` });
    const claim = () =>
      desk.store.claim({ now: desk.clock.now(), handlers: ['anyone'], limit: 1, prefetch: 9 });
    const first = await claim();
    expect([first.deliveries.length, first.prefetched.left()]).toEqual([1, 2]);

    expect(await desk.store.recover()).toBe(3);

    const rows = await desk.store.deliveries({}, { order: 'oldest', limit: 9 });
    expect(rows.map(({ attempts, lastError }) => [attempts, lastError])).toEqual([
      [1, 'the process ended during attempt 1'],
      [0, 'the process ended before attempt 1 was over'],
      [0, 'the process ended before attempt 1 was over'],
    ]);
    const second = await claim();
    expect([second.deliveries.length, second.prefetched.left()]).toEqual([1, 0]);
    expect((await desk.claim()).map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  test('recovering a store that was closed in good order finds nothing', async () => {
    const desk = await openDesk(kind);
    await desk.stored({});
    await desk.store.release([await desk.claimOne()], { dueAt: desk.clock.now() });

    expect(await desk.store.recover()).toBe(0);
    expect(await desk.claimOne()).toMatchObject({ attempt: 1 });
  });

  test('a start with the clock hours behind leaves nothing waiting for hours', async () => {
    const desk = await openDesk(kind);
    await desk.stored({ subject: 'company:1' });
    await desk.stored({ subject: 'company:2' });
    await desk.store.close();
    desk.clock.jump(-24 * 3_600_000);

    const again = await deskAt(desk.place, desk.clock);
    await again.store.recover();

    expect(await again.claim()).toHaveLength(2);
  });

  test('waits survive a restart', async () => {
    const desk = await openDesk(kind);
    await desk.stored({});
    const now = desk.clock.now();
    await desk.store.reschedule(await desk.claimOne(), { now, dueAt: now + 500, reason: 'x' });
    await desk.store.close();

    const again = await deskAt(desk.place, desk.clock);
    await again.store.recover();

    expect(await again.claim()).toEqual([]);
    desk.clock.advance(500);
    expect(await again.claimOne()).toMatchObject({ attempt: 2 });
  });

  test('a machine and the end of its delivery survive together', async () => {
    const desk = await openDesk(kind);
    const id = await desk.stored({ content: 'A' }, [route('machine')]);
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
    const delivery = await desk.claimOne({ handlers: ['machine'] });
    await desk.store.complete(
      delivery,
      { status: 'succeeded', machine },
      { now: desk.clock.now(), next: false },
    );

    const after = await deskAt(await desk.place.afterPowerFailure(), desk.clock);

    expect(await after.store.recover()).toBe(0);
    expect(await after.claim({ handlers: ['machine'] })).toEqual([]);
    const state = await after.store.machineState('machine', 'default', { family: 'company', id: '1' });
    expect(state).toMatchObject({ state: 1, revision: 1 });
  });

  test('a second owner is refused, until the first is gone', async () => {
    const desk = await openDesk(kind);

    await expect(desk.openAgain('owner')).rejects.toMatchObject({
      code: 'store-locked',
      message: expect.stringContaining('another running Portaria') as string,
    });

    await desk.store.close();
    await expect(desk.openAgain('owner')).resolves.toBeDefined();
  });

  test('a guest reads and writes beside the owner, who sees it at its next claim', async () => {
    const desk = await openDesk(kind);
    const first = await desk.stored({ content: 'A' });
    const dead = await desk.claimOne();
    await desk.store.complete(dead, { status: 'dead', reason: 'x' }, { now: desk.clock.now(), next: false });
    await desk.store.quarantine(sampleRejection({ body: bytes('x') }));
    const guest = await desk.openAgain('guest');

    expect(await guest.events({}, { order: 'oldest', limit: 9 })).toMatchObject([{ id: first }]);
    expect(await guest.retryDeliveries([dead.id], desk.clock.now())).toEqual([dead.id]);
    expect(await desk.claimOne()).toMatchObject({ id: dead.id });

    const event = sampleEvent({ content: 'B', subject: 'company:2' });
    const released = await guest.accept(event, [route('anyone')], { releases: 'q1' });
    expect(await desk.claimOne()).toMatchObject({ event: { id: released.id, flags: ['released'] } });

    const replay = await guest.createReplay(
      { filter: {}, handlers: ['anyone'], ifNotSucceeded: false, target: null },
      desk.clock.now(),
    );
    await guest.enqueueReplay(replay.id, [{ route: route('other'), events: [eventNumber(first)] }], {
      cursor: first,
      now: desk.clock.now(),
    });
    expect(await desk.claimOne({ handlers: ['other'] })).toMatchObject({ replay: replay.id });
  });

  test('a guest takes no deliveries', async () => {
    const desk = await openDesk(kind);
    await desk.stored({});
    const guest = await desk.openAgain('guest');

    const claim = guest.claim({ now: desk.clock.now(), limit: 1, handlers: ['anyone'] });

    await expect(claim).rejects.toMatchObject({ code: 'store-locked' });
    await expect(guest.recover()).rejects.toMatchObject({ code: 'store-locked' });
    expect(await desk.claim()).toHaveLength(1);
  });
}
