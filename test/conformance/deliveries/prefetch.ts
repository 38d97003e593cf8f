import { expect, test } from 'vitest';
import type { ClaimedDelivery } from '../../../src/store/lane-queue.ts';
import { openFixture } from '../store-fixture.ts';
import { route } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';

/** Which deliveries are prefetched, when their events are read, and how their attempts count. */
export function prefetchRules(kind: StoreKind): void {
  test('prefetches only first attempts, and reads their events on demand', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ subject: 'company:rescheduled' });
    const rescheduled = await fixture.claimOne();
    const now = fixture.clock.now();
    await fixture.store.reschedule(rescheduled, { now, dueAt: now, reason: 'x' });
    for (const id of ['1', '2', '3', '4']) await fixture.stored({ subject: `company:${id}` });
    fixture.clock.advance(10);
    const subjectsOf = (claimed: readonly ClaimedDelivery[]) => claimed.map(({ event }) => event.subject.id);
    const claim = (most: { readonly limit: number; readonly prefetch: number }) =>
      fixture.store.claim({ now: fixture.clock.now(), handlers: ['anyone'], ...most });

    const first = await claim({ limit: 0, prefetch: 3 });
    const rest = await claim({ limit: 0, prefetch: 9 });

    expect([first.deliveries, first.prefetched.left()]).toEqual([[], 3]);
    expect(first.nextDueAt).toBeLessThanOrEqual(fixture.clock.now());
    const { deliveries: read } = await first.prefetched.next(2);
    expect(subjectsOf(read)).toEqual(['1', '2']);
    expect(read[0]).toMatchObject({ attempt: 1, lane: expect.any(String) as string });
    expect([first.prefetched.left(), subjectsOf((await first.prefetched.next(2)).deliveries)]).toEqual([
      1,
      ['3'],
    ]);
    expect([first.prefetched.left(), (await first.prefetched.next(2)).deliveries]).toEqual([0, []]);
    expect(subjectsOf((await rest.prefetched.next(9)).deliveries)).toEqual(['4']);
    expect(subjectsOf(await fixture.claim({ limit: 1 }))).toEqual(['rescheduled']);
  });

  test('prefetches manually retried deliveries like new ones', async () => {
    const fixture = await openFixture(kind);
    for (const id of ['1', '2']) await fixture.stored({ subject: `company:${id}` });
    const now = fixture.clock.now();
    const dead = await fixture.claim();
    for (const one of dead)
      await fixture.store.complete(one, { status: 'dead', reason: 'x' }, { now, next: false });
    const ids = dead.map(({ id }) => id);
    await fixture.store.retryDeliveries(ids, now);

    const { prefetched } = await fixture.store.claim({
      now,
      handlers: ['anyone'],
      limit: 0,
      prefetch: 9,
    });

    const { deliveries } = await prefetched.next(9);
    expect(deliveries.map(({ id, attempt }) => ({ id, attempt }))).toEqual(
      ids.map((id) => ({ id, attempt: 1 })),
    );
    for (const again of deliveries) await fixture.succeed(again);
    const rows = await fixture.store.deliveries({}, { order: 'oldest', limit: 9 });
    expect(rows.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['succeeded', 1],
      ['succeeded', 1],
    ]);
  });

  test('never prefetches a delivery that a crash interrupted, retried or not', async () => {
    const fixture = await openFixture(kind);
    for (const id of ['1', '2']) await fixture.stored({ subject: `company:${id}` });
    const now = fixture.clock.now();
    const prefetch = () => fixture.store.claim({ now, handlers: ['anyone'], limit: 0, prefetch: 9 });
    const { prefetched } = await prefetch();
    expect((await prefetched.next(9)).deliveries).toHaveLength(2);
    await fixture.store.recover();
    expect((await prefetch()).prefetched.left()).toBe(0);

    const [dead, released] = await fixture.claim();
    if (dead === undefined || released === undefined) throw new Error('expected two deliveries');
    await fixture.store.complete(dead, { status: 'dead', reason: 'x' }, { now, next: false });
    await fixture.store.release([released], { dueAt: now });
    await fixture.store.retryDeliveries([dead.id], now);

    expect((await prefetch()).prefetched.left()).toBe(0);
    const again = await fixture.claim();
    expect(again.map(({ id, attempt }) => [id, attempt])).toEqual([
      [dead.id, 1],
      [released.id, 1],
    ]);
  });

  test('reads large events of prefetched deliveries a few at a time', async () => {
    const fixture = await openFixture(kind);
    const body = new Uint8Array(3 * 1024 * 1024).fill(32);
    for (const id of ['1', '2', '3']) await fixture.stored({ subject: `company:${id}`, body });
    const now = fixture.clock.now();
    const { prefetched } = await fixture.store.claim({
      now,
      handlers: ['anyone'],
      limit: 0,
      prefetch: 3,
    });

    const read: number[] = [];
    while (prefetched.left() > 0) read.push((await prefetched.next(3)).deliveries.length);

    expect(read).toEqual([1, 1, 1]);
  });

  test('counts the attempt of a prefetched delivery with its outcome', async () => {
    const fixture = await openFixture(kind);
    for (const id of ['1', '2', '3', '4']) await fixture.stored({ subject: `company:${id}` });
    const now = fixture.clock.now();
    const { prefetched } = await fixture.store.claim({
      now,
      handlers: ['anyone'],
      limit: 0,
      prefetch: 4,
    });
    const [done, released, late, dead] = (await prefetched.next(4)).deliveries;
    if (!done || !released || !late || !dead) throw new Error('expected four deliveries');
    const attempts = async () =>
      (await fixture.store.deliveries({}, { order: 'oldest', limit: 9 })).map(({ attempts: count }) => count);
    expect(await attempts()).toEqual([0, 0, 0, 0]);

    await fixture.succeed(done);
    await fixture.store.release([released], { dueAt: now });
    await fixture.store.reschedule(late, { now, dueAt: now, reason: 'x' });
    await fixture.store.complete(dead, { status: 'dead', reason: 'x' }, { now, next: false });

    expect(await attempts()).toEqual([1, 0, 1, 1]);
  });

  test('releases the prefetched deliveries of some handlers unread, in one operation', async () => {
    const fixture = await openFixture(kind);
    for (const id of ['1', '2', '3'])
      await fixture.stored({ subject: `company:${id}` }, [route('one'), route('two')]);
    const now = fixture.clock.now();
    const request = { now, handlers: ['one', 'two'] };
    const { prefetched } = await fixture.store.claim({ ...request, limit: 0, prefetch: 6 });
    const [started] = (await prefetched.next(1)).deliveries;
    expect([started?.handler, prefetched.handlers().toSorted()]).toEqual(['one', ['one', 'two']]);

    const unread = prefetched.withdraw(['one']);
    await fixture.store.release(unread, { dueAt: now });

    expect(unread.map(({ handler }) => handler)).toEqual(['one', 'one']);
    expect([prefetched.left(), prefetched.handlers()]).toEqual([3, ['two']]);
    expect((await prefetched.next(9)).deliveries.map(({ handler }) => handler)).toEqual([
      'two',
      'two',
      'two',
    ]);
    const again = await fixture.claim(request);
    expect(again.map(({ handler, attempt, event }) => [handler, attempt, event.subject.id])).toEqual([
      ['one', 1, '2'],
      ['one', 1, '3'],
    ]);
  });
}
