import { expect, test } from 'vitest';
import { openDesk } from './desk.ts';
import { route } from './sample-event.ts';
import type { StoreKind } from './store-place.ts';

const HOUR = 3_600_000;

/** What failing, giving back and retrying do to a lane. */
export function failureRules(kind: StoreKind): void {
  test('a rescheduled delivery holds its lane until it is due, and is tried again', async () => {
    const desk = await openDesk(kind);
    const first = await desk.stored({ content: 'A' });
    await desk.stored({ content: 'B' });
    await desk.stored({ subject: 'company:2' });
    const [head] = await desk.claim({ limit: 1 });
    const now = desk.clock.now();
    if (head === undefined) throw new Error('nothing was claimed');

    await desk.store.reschedule(head, { now, dueAt: now + 500, reason: 'timeout' });

    expect(await desk.store.claim({ now, limit: 9, handlers: ['anyone'] })).toMatchObject({
      deliveries: [{ event: { subject: { id: '2' } } }],
      nextDueAt: now + 500,
    });
    const [record] = await desk.store.deliveries({ ids: [head.id] }, { order: 'oldest', limit: 1 });
    expect(record).toMatchObject({ status: 'pending', lastError: 'timeout', dueAt: now + 500 });

    desk.clock.advance(499);
    expect(await desk.claim()).toEqual([]);
    desk.clock.advance(1);
    expect(await desk.claimOne()).toMatchObject({ id: head.id, attempt: 2, event: { id: first } });
  });

  test('a dead delivery lets its lane go on', async () => {
    const desk = await openDesk(kind);
    await desk.stored({ content: 'A' });
    const second = await desk.stored({ content: 'B' });
    const end = { status: 'dead', reason: 'broken' } as const;

    const next = await desk.store.complete(await desk.claimOne(), end, {
      now: desk.clock.now(),
      next: true,
    });

    expect(next?.event?.id).toBe(second);
  });

  test('a delivery given back counts no try and keeps its place', async () => {
    const desk = await openDesk(kind);
    const first = await desk.stored({ content: 'A' });
    await desk.stored({ content: 'B' });
    const dueAt = desk.clock.now() + 100;

    await desk.store.release([await desk.claimOne()], { dueAt });

    expect(await desk.store.deliveries({}, { order: 'oldest', limit: 1 })).toMatchObject([
      { status: 'pending', attempts: 0, dueAt },
    ]);
    expect((await desk.store.statistics()).byHandler).toMatchObject([{ pending: 2, running: 0 }]);
    expect(await desk.claim()).toEqual([]);
    desk.clock.advance(100);
    expect(await desk.claimOne()).toMatchObject({ attempt: 1, event: { id: first } });
  });

  test('of several that are given back together, one that is not held is left alone', async () => {
    const desk = await openDesk(kind);
    for (const id of ['1', '2', '3']) await desk.stored({ subject: `company:${id}` });
    const [done, given, other] = await desk.claim();
    if (done === undefined || given === undefined || other === undefined) throw new Error('too few');
    await desk.succeed(done);

    await desk.store.release([done, given, { ...other, id: 'd99' }], { dueAt: desk.clock.now() });

    expect((await desk.store.statistics()).byHandler).toMatchObject([
      { succeeded: 1, pending: 1, running: 1 },
    ]);
    expect(await desk.claimOne()).toMatchObject({ id: given.id, attempt: 1 });
  });

  test('a delivery given back behind one that was retried meanwhile lets that one go first', async () => {
    const { desk, first, second } = await deskWithFirstRetried(kind);

    await desk.store.release([second], { dueAt: desk.clock.now() });

    const again = await desk.claimOne();
    expect(again.id).toBe(first.id);
    expect(await desk.succeed(again, true)).toMatchObject({ id: second.id, attempt: 1 });
  });

  test('retrying makes dead deliveries pending at the head of their lanes, with fresh tries', async () => {
    const desk = await openDesk(kind);
    const first = await desk.stored({ content: 'A' });
    const second = await desk.stored({ content: 'B' });
    const dead = await desk.claimOne();
    await desk.store.complete(dead, { status: 'dead', reason: 'x' }, { now: desk.clock.now(), next: false });

    expect(await desk.store.retryDeliveries([dead.id, 'd2', 'd99', 'what'], desk.clock.now())).toEqual([
      dead.id,
    ]);

    const again = await desk.claimOne();
    expect(again).toMatchObject({ attempt: 1, event: { id: first } });
    expect((await desk.succeed(again, true))?.event.id).toBe(second);
  });

  test('a retried delivery does not wait for what a later one was rescheduled to', async () => {
    const desk = await openDesk(kind);
    await desk.stored({ content: 'A' });
    await desk.stored({ content: 'B' });
    const now = desk.clock.now();
    const first = await desk.claimOne();
    const second = await desk.store.complete(first, { status: 'dead', reason: 'x' }, { now, next: true });
    if (second === null) throw new Error('no next');
    await desk.store.reschedule(second, { now, dueAt: now + HOUR, reason: 'later' });

    await desk.store.retryDeliveries([first.id], now);

    const again = await desk.claimOne();
    expect(again.id).toBe(first.id);
    expect(await desk.succeed(again, true)).toBeNull();
    expect(await desk.store.claim({ now, limit: 1, handlers: ['anyone'] })).toMatchObject({
      deliveries: [],
      nextDueAt: now + HOUR,
    });
  });

  test('retrying a later delivery does not cut short what an earlier one waits for', async () => {
    const desk = await openDesk(kind);
    await desk.stored({ content: 'A' });
    await desk.stored({ content: 'B' });
    const now = desk.clock.now();
    const broken = { status: 'dead', reason: 'x' } as const;
    const first = await desk.claimOne();
    const second = await desk.store.complete(first, broken, { now, next: true });
    if (second === null) throw new Error('no next');
    await desk.store.complete(second, broken, { now, next: false });
    await desk.store.retryDeliveries([first.id], now);
    await desk.store.reschedule(await desk.claimOne(), { now, dueAt: now + HOUR, reason: 'later' });

    await desk.store.retryDeliveries([second.id], now);

    expect(await desk.claim()).toEqual([]);
    desk.clock.advance(HOUR);
    expect(await desk.claimOne()).toMatchObject({ id: first.id, attempt: 2 });
  });

  test('retrying beside a running delivery of the lane waits for it', async () => {
    const { desk, first, second } = await deskWithFirstRetried(kind);

    expect(await desk.claim()).toEqual([]);
    expect(await desk.succeed(second, true)).toMatchObject({ id: first.id });
  });

  test('a dead delivery of an emptied lane can be retried', async () => {
    const desk = await openDesk(kind);
    for (const order of ['subject', 'handler', 'none'] as const) {
      await desk.stored({ content: order }, [route(order, { order })]);
    }
    const handlers = ['subject', 'handler', 'none'];
    const deliveries = await desk.claim({ handlers });
    for (const delivery of deliveries) {
      await desk.store.complete(
        delivery,
        { status: 'dead', reason: 'x' },
        { now: desk.clock.now(), next: true },
      );
    }

    const ids = deliveries.map(({ id }) => id);
    expect(await desk.store.retryDeliveries(ids, desk.clock.now())).toEqual(ids);
    expect(await desk.claim({ handlers })).toHaveLength(3);
  });

  test('after the wall clock went back by hours, nothing waits for hours', async () => {
    const desk = await openDesk(kind);
    await desk.stored({ subject: 'company:1' });
    await desk.stored({ subject: 'company:2' });
    const [rescheduled] = await desk.claim({ limit: 1 });
    const now = desk.clock.now();
    if (rescheduled === undefined) throw new Error('nothing was claimed');
    await desk.store.reschedule(rescheduled, { now, dueAt: now + 60_000, reason: 'later' });

    desk.clock.jump(-5 * HOUR);

    expect(await desk.claim()).toHaveLength(2);
  });

  test('a clock that went back is noticed although a write beside the first claim fails', async () => {
    const desk = await openDesk(kind);
    await desk.stored({});
    const now = desk.clock.now();
    const delivery = await desk.claimOne();
    await desk.store.reschedule(delivery, { now, dueAt: now + 60_000, reason: 'later' });
    await desk.claim();

    desk.clock.jump(-5 * HOUR);
    const [claimed, beside] = await Promise.allSettled([desk.claim(), desk.store.finishReplay('r99')]);

    expect(beside.status).toBe('rejected');
    expect(claimed).toMatchObject({ status: 'fulfilled', value: [{ id: delivery.id }] });
  });

  test('a step back of the clock shortens no wait by more than itself', async () => {
    const desk = await openDesk(kind);
    await desk.stored({});
    const now = desk.clock.now();
    await desk.store.reschedule(await desk.claimOne(), { now, dueAt: now + 60_000, reason: 'later' });
    await desk.claim();

    desk.clock.jump(-200);

    expect(await desk.claim()).toEqual([]);
    desk.clock.advance(60_200);
    expect(await desk.claim()).toHaveLength(1);
  });
}

/** A lane whose first delivery is dead and was retried while its second is running. */
async function deskWithFirstRetried(kind: StoreKind) {
  const desk = await openDesk(kind);
  await desk.stored({ content: 'A' });
  await desk.stored({ content: 'B' });
  const first = await desk.claimOne();
  const now = desk.clock.now();
  const second = await desk.store.complete(first, { status: 'dead', reason: 'x' }, { now, next: true });
  if (second === null) throw new Error('no next');
  await desk.store.retryDeliveries([first.id], now);
  return { desk, first, second };
}
