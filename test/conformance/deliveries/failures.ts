import { expect, test } from 'vitest';
import { openFixture } from '../store-fixture.ts';
import { route } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';

const HOUR = 3_600_000;

/** How rescheduling, releasing and retrying affect a lane. */
export function failureRules(kind: StoreKind): void {
  test('a rescheduled delivery blocks its lane until it is due, and runs again', async () => {
    const fixture = await openFixture(kind);
    const first = await fixture.stored({ content: 'A' });
    await fixture.stored({ content: 'B' });
    await fixture.stored({ subject: 'company:2' });
    const [head] = await fixture.claim({ limit: 1 });
    const now = fixture.clock.now();
    if (head === undefined) throw new Error('nothing was claimed');

    await fixture.store.reschedule(head, { now, dueAt: now + 500, reason: 'timeout' });

    expect(await fixture.store.claim({ now, limit: 9, handlers: ['anyone'] })).toMatchObject({
      deliveries: [{ event: { subject: { id: '2' } } }],
      nextDueAt: now + 500,
    });
    const [record] = await fixture.store.deliveries({ ids: [head.id] }, { order: 'oldest', limit: 1 });
    expect(record).toMatchObject({ status: 'pending', lastError: 'timeout', dueAt: now + 500 });

    fixture.clock.advance(499);
    expect(await fixture.claim()).toEqual([]);
    fixture.clock.advance(1);
    expect(await fixture.claimOne()).toMatchObject({ id: head.id, attempt: 2, event: { id: first } });
  });

  test('deliveries in flight that are rescheduled together keep their own due times and errors', async () => {
    const fixture = await openFixture(kind);
    for (const id of ['1', '2', '3']) await fixture.stored({ subject: `company:${id}` });
    const claimed = await fixture.claim();
    const [ended] = claimed;
    if (ended === undefined) throw new Error('nothing was claimed');
    await fixture.succeed(ended);
    const now = fixture.clock.now();

    const results = await Promise.allSettled(
      claimed.map((delivery, at) =>
        fixture.store.reschedule(delivery, { now, dueAt: now + at, reason: `down ${String(at)}` }),
      ),
    );

    expect(results).toMatchObject([
      { status: 'rejected', reason: { code: 'invalid-argument' } },
      { status: 'fulfilled' },
      { status: 'fulfilled' },
    ]);
    const rows = await fixture.store.deliveries({}, { order: 'oldest', limit: 9 });
    expect(rows.map(({ status, dueAt, lastError }) => [status, dueAt, lastError])).toEqual([
      ['succeeded', null, null],
      ['pending', now + 1, 'down 1'],
      ['pending', now + 2, 'down 2'],
    ]);
  });

  test('a lane continues after a dead delivery', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ content: 'A' });
    const second = await fixture.stored({ content: 'B' });
    const end = { status: 'dead', reason: 'broken' } as const;

    const next = await fixture.store.complete(await fixture.claimOne(), end, {
      now: fixture.clock.now(),
      next: true,
    });

    expect(next?.event?.id).toBe(second);
  });

  test('a released delivery counts no attempt and keeps its place', async () => {
    const fixture = await openFixture(kind);
    const first = await fixture.stored({ content: 'A' });
    await fixture.stored({ content: 'B' });
    const dueAt = fixture.clock.now() + 100;

    await fixture.store.release([await fixture.claimOne()], { dueAt });

    expect(await fixture.store.deliveries({}, { order: 'oldest', limit: 1 })).toMatchObject([
      { status: 'pending', attempts: 0, dueAt },
    ]);
    expect((await fixture.store.statistics()).byHandler).toMatchObject([{ pending: 2, running: 0 }]);
    expect(await fixture.claim()).toEqual([]);
    fixture.clock.advance(100);
    expect(await fixture.claimOne()).toMatchObject({ attempt: 1, event: { id: first } });
  });

  test('release ignores a delivery that is not in flight', async () => {
    const fixture = await openFixture(kind);
    for (const id of ['1', '2', '3']) await fixture.stored({ subject: `company:${id}` });
    const [done, given, other] = await fixture.claim();
    if (done === undefined || given === undefined || other === undefined) throw new Error('too few');
    await fixture.succeed(done);

    await fixture.store.release([done, given, { ...other, id: 'd99' }], { dueAt: fixture.clock.now() });

    expect((await fixture.store.statistics()).byHandler).toMatchObject([
      { succeeded: 1, pending: 1, running: 1 },
    ]);
    expect(await fixture.claimOne()).toMatchObject({ id: given.id, attempt: 1 });
  });

  test('a released delivery waits behind one retried while it ran', async () => {
    const { fixture, first, second } = await laneWithFirstRetried(kind);

    await fixture.store.release([second], { dueAt: fixture.clock.now() });

    const again = await fixture.claimOne();
    expect(again.id).toBe(first.id);
    expect(await fixture.succeed(again, true)).toMatchObject({ id: second.id, attempt: 1 });
  });

  test('retry makes dead deliveries pending at the head of their lanes, with no attempts', async () => {
    const fixture = await openFixture(kind);
    const first = await fixture.stored({ content: 'A' });
    const second = await fixture.stored({ content: 'B' });
    const dead = await fixture.claimOne();
    await fixture.store.complete(
      dead,
      { status: 'dead', reason: 'x' },
      { now: fixture.clock.now(), next: false },
    );

    expect(await fixture.store.retryDeliveries([dead.id, 'd2', 'd99', 'what'], fixture.clock.now())).toEqual([
      dead.id,
    ]);

    const again = await fixture.claimOne();
    expect(again).toMatchObject({ attempt: 1, event: { id: first } });
    expect((await fixture.succeed(again, true))?.event.id).toBe(second);
  });

  test('discard ends pending and dead deliveries as skipped with the reasons, and their lane goes on', async () => {
    const fixture = await openFixture(kind);
    const now = fixture.clock.now();
    await fixture.stored({ content: 'A' });
    await fixture.stored({ content: 'B' });
    await fixture.stored({ content: 'C' });
    const last = await fixture.stored({ content: 'D' });
    const dead = await fixture.claimOne();
    await fixture.store.complete(dead, { status: 'dead', reason: 'x' }, { now, next: false });
    const ids = (await fixture.store.deliveries({}, { order: 'oldest', limit: 9 })).map(({ id }) => id);

    const done = await fixture.store.discardDeliveries([...ids.slice(0, 3), 'd99', 'what'], {
      reason: 'old',
      now,
    });

    expect(done).toEqual(ids.slice(0, 3));
    expect(await fixture.store.deliveries({}, { order: 'oldest', limit: 9 })).toMatchObject([
      { status: 'skipped', lastError: 'old; before: x', dueAt: null, finishedAt: now },
      { status: 'skipped', lastError: 'old', dueAt: null, finishedAt: now },
      { status: 'skipped', lastError: 'old', dueAt: null, finishedAt: now },
      { status: 'pending', lastError: null },
    ]);
    expect((await fixture.store.statistics()).deliveries).toMatchObject({ skipped: 3, pending: 1, dead: 0 });
    const running = await fixture.claimOne();
    expect(running.event.id).toBe(last);
    // A running delivery, and one that is over, stay as they are.
    expect(await fixture.store.discardDeliveries(ids, { reason: 'again', now })).toEqual([]);
    await fixture.succeed(running);
  });

  test('a retried delivery does not wait for the due time of a later one', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ content: 'A' });
    await fixture.stored({ content: 'B' });
    const now = fixture.clock.now();
    const first = await fixture.claimOne();
    const second = await fixture.store.complete(first, { status: 'dead', reason: 'x' }, { now, next: true });
    if (second === null) throw new Error('no next');
    await fixture.store.reschedule(second, { now, dueAt: now + HOUR, reason: 'later' });

    await fixture.store.retryDeliveries([first.id], now);

    const again = await fixture.claimOne();
    expect(again.id).toBe(first.id);
    expect(await fixture.succeed(again, true)).toBeNull();
    expect(await fixture.store.claim({ now, limit: 1, handlers: ['anyone'] })).toMatchObject({
      deliveries: [],
      nextDueAt: now + HOUR,
    });
  });

  test('retrying a later delivery does not shorten the wait of an earlier one', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ content: 'A' });
    await fixture.stored({ content: 'B' });
    const now = fixture.clock.now();
    const broken = { status: 'dead', reason: 'x' } as const;
    const first = await fixture.claimOne();
    const second = await fixture.store.complete(first, broken, { now, next: true });
    if (second === null) throw new Error('no next');
    await fixture.store.complete(second, broken, { now, next: false });
    await fixture.store.retryDeliveries([first.id], now);
    await fixture.store.reschedule(await fixture.claimOne(), { now, dueAt: now + HOUR, reason: 'later' });

    await fixture.store.retryDeliveries([second.id], now);

    expect(await fixture.claim()).toEqual([]);
    fixture.clock.advance(HOUR);
    expect(await fixture.claimOne()).toMatchObject({ id: first.id, attempt: 2 });
  });

  test('a retried delivery waits for the running delivery of its lane', async () => {
    const { fixture, first, second } = await laneWithFirstRetried(kind);

    expect(await fixture.claim()).toEqual([]);
    expect(await fixture.succeed(second, true)).toMatchObject({ id: first.id });
  });

  test('retries a dead delivery of an empty lane', async () => {
    const fixture = await openFixture(kind);
    for (const order of ['subject', 'handler', 'none'] as const) {
      await fixture.stored({ content: order }, [route(order, { order })]);
    }
    const handlers = ['subject', 'handler', 'none'];
    const deliveries = await fixture.claim({ handlers });
    for (const delivery of deliveries) {
      await fixture.store.complete(
        delivery,
        { status: 'dead', reason: 'x' },
        { now: fixture.clock.now(), next: true },
      );
    }

    const ids = deliveries.map(({ id }) => id);
    expect(await fixture.store.retryDeliveries(ids, fixture.clock.now())).toEqual(ids);
    expect(await fixture.claim({ handlers })).toHaveLength(3);
  });

  test('a clock that goes back by hours prolongs no wait by hours', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ subject: 'company:1' });
    await fixture.stored({ subject: 'company:2' });
    const [rescheduled] = await fixture.claim({ limit: 1 });
    const now = fixture.clock.now();
    if (rescheduled === undefined) throw new Error('nothing was claimed');
    await fixture.store.reschedule(rescheduled, { now, dueAt: now + 60_000, reason: 'later' });

    fixture.clock.jump(-5 * HOUR);

    expect(await fixture.claim()).toHaveLength(2);
  });

  test("ends broken waits even if another operation of the first claim's batch fails", async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({});
    const now = fixture.clock.now();
    const delivery = await fixture.claimOne();
    await fixture.store.reschedule(delivery, { now, dueAt: now + 60_000, reason: 'later' });
    await fixture.claim();

    fixture.clock.jump(-5 * HOUR);
    const [claimed, beside] = await Promise.allSettled([
      fixture.claim(),
      fixture.store.recordJobResults('j99'),
    ]);

    expect(beside.status).toBe('rejected');
    expect(claimed).toMatchObject({ status: 'fulfilled', value: [{ id: delivery.id }] });
  });

  test('a small step back of the clock shortens no wait', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({});
    const now = fixture.clock.now();
    await fixture.store.reschedule(await fixture.claimOne(), { now, dueAt: now + 60_000, reason: 'later' });
    await fixture.claim();

    fixture.clock.jump(-200);

    expect(await fixture.claim()).toEqual([]);
    fixture.clock.advance(60_200);
    expect(await fixture.claim()).toHaveLength(1);
  });
}

/** A lane whose first delivery is dead and was retried while its second is running. */
async function laneWithFirstRetried(kind: StoreKind) {
  const fixture = await openFixture(kind);
  await fixture.stored({ content: 'A' });
  await fixture.stored({ content: 'B' });
  const first = await fixture.claimOne();
  const now = fixture.clock.now();
  const second = await fixture.store.complete(first, { status: 'dead', reason: 'x' }, { now, next: true });
  if (second === null) throw new Error('no next');
  await fixture.store.retryDeliveries([first.id], now);
  return { fixture, first, second };
}
