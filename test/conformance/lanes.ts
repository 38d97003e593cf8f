import { expect, test } from 'vitest';
import type { ClaimedDelivery } from '../../src/store/lane-queue.ts';
import { openDesk } from './desk.ts';
import { route } from './sample-event.ts';
import type { StoreKind } from './store-place.ts';

/** Deliveries by lane: one at a time, in arrival order. */
export function laneRules(kind: StoreKind): void {
  test('a claimed delivery carries its event and its try', async () => {
    const desk = await openDesk(kind);
    const id = await desk.stored({ content: 'A', version: '7', messageId: 'm1', headers: { 'x-a': 'b' } });

    expect(await desk.claimOne()).toEqual({
      id: 'd1',
      lane: expect.any(String) as string,
      handler: 'anyone',
      effect: null,
      attempt: 1,
      replay: null,
      event: {
        id,
        kind: 'company.updated',
        recognized: true,
        source: 'default',
        subject: { family: 'company', id: '1' },
        verdict: 'new',
        flags: [],
        version: '7',
        receivedAt: desk.clock.now(),
        repeats: 0,
        lastRepeatAt: null,
        messageId: 'm1',
        data: { id: '1', content: 'A' },
      },
    });
  });

  test('the events of a subject are handed out one at a time, in arrival order', async () => {
    const desk = await openDesk(kind);
    const first = await desk.stored({ content: 'A' });
    const second = await desk.stored({ content: 'B' });

    const head = await desk.claimOne();
    expect(head.event.id).toBe(first);
    expect(await desk.claim()).toEqual([]);

    await desk.succeed(head);
    expect((await desk.claimOne()).event.id).toBe(second);
  });

  test('beyond the limit only what was never tried is claimed, and read when its turn comes', async () => {
    const desk = await openDesk(kind);
    await desk.stored({ subject: 'company:tried' });
    const tried = await desk.claimOne();
    const now = desk.clock.now();
    await desk.store.postpone(tried, { now, dueAt: now, reason: 'x' });
    for (const id of ['1', '2', '3', '4']) await desk.stored({ subject: `company:${id}` });
    desk.clock.advance(10);
    const subjectsOf = (claimed: readonly ClaimedDelivery[]) => claimed.map(({ event }) => event.subject.id);
    const claim = (most: { readonly limit: number; readonly ahead: number }) =>
      desk.store.claim({ now: desk.clock.now(), handlers: ['anyone'], ...most });

    const first = await claim({ limit: 0, ahead: 3 });
    const rest = await claim({ limit: 0, ahead: 9 });

    expect([first.deliveries, first.ahead.left()]).toEqual([[], 3]);
    expect(first.nextDueAt).toBeLessThanOrEqual(desk.clock.now());
    const { deliveries: read } = await first.ahead.next(2);
    expect(subjectsOf(read)).toEqual(['1', '2']);
    expect(read[0]).toMatchObject({ attempt: 1, lane: expect.any(String) as string });
    expect([first.ahead.left(), subjectsOf((await first.ahead.next(2)).deliveries)]).toEqual([1, ['3']]);
    expect([first.ahead.left(), (await first.ahead.next(2)).deliveries]).toEqual([0, []]);
    expect(subjectsOf((await rest.ahead.next(9)).deliveries)).toEqual(['4']);
    expect(subjectsOf(await desk.claim({ limit: 1 }))).toEqual(['tried']);
  });

  test('what died and was retried by hand is claimed ahead as what is new', async () => {
    const desk = await openDesk(kind);
    for (const id of ['1', '2']) await desk.stored({ subject: `company:${id}` });
    const now = desk.clock.now();
    const dead = await desk.claim();
    for (const one of dead)
      await desk.store.advance(one, { status: 'dead', reason: 'x' }, { now, next: false });
    const ids = dead.map(({ id }) => id);
    await desk.store.retryDeliveries(ids, now);

    const { ahead } = await desk.store.claim({ now, handlers: ['anyone'], limit: 0, ahead: 9 });

    const { deliveries } = await ahead.next(9);
    expect(deliveries.map(({ id, attempt }) => ({ id, attempt }))).toEqual(
      ids.map((id) => ({ id, attempt: 1 })),
    );
    for (const again of deliveries) await desk.succeed(again);
    const rows = await desk.store.deliveries({}, { order: 'oldest', limit: 9 });
    expect(rows.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['succeeded', 1],
      ['succeeded', 1],
    ]);
  });

  test('what was ever cut short by the end of a process is not claimed ahead, retried or not', async () => {
    const desk = await openDesk(kind);
    for (const id of ['1', '2']) await desk.stored({ subject: `company:${id}` });
    const now = desk.clock.now();
    const claimAhead = () => desk.store.claim({ now, handlers: ['anyone'], limit: 0, ahead: 9 });
    const { ahead } = await claimAhead();
    expect((await ahead.next(9)).deliveries).toHaveLength(2);
    await desk.store.recover();
    expect((await claimAhead()).ahead.left()).toBe(0);

    const [dead, given] = await desk.claim();
    if (dead === undefined || given === undefined) throw new Error('two were to be claimed');
    await desk.store.advance(dead, { status: 'dead', reason: 'x' }, { now, next: false });
    await desk.store.handBack([given], { dueAt: now });
    await desk.store.retryDeliveries([dead.id], now);

    expect((await claimAhead()).ahead.left()).toBe(0);
    const again = await desk.claim();
    expect(again.map(({ id, attempt }) => [id, attempt])).toEqual([
      [dead.id, 1],
      [given.id, 1],
    ]);
  });

  test('large events of what was claimed ahead are read a few at a time, and all in the end', async () => {
    const desk = await openDesk(kind);
    const body = new Uint8Array(3 * 1024 * 1024).fill(32);
    for (const id of ['1', '2', '3']) await desk.stored({ subject: `company:${id}`, body });
    const now = desk.clock.now();
    const { ahead } = await desk.store.claim({ now, handlers: ['anyone'], limit: 0, ahead: 3 });

    const read: number[] = [];
    while (ahead.left() > 0) read.push((await ahead.next(3)).deliveries.length);

    expect(read).toEqual([1, 1, 1]);
  });

  test('the try of what was claimed ahead counts with its outcome', async () => {
    const desk = await openDesk(kind);
    for (const id of ['1', '2', '3', '4']) await desk.stored({ subject: `company:${id}` });
    const now = desk.clock.now();
    const { ahead } = await desk.store.claim({ now, handlers: ['anyone'], limit: 0, ahead: 4 });
    const [done, given, late, dead] = (await ahead.next(4)).deliveries;
    if (!done || !given || !late || !dead) throw new Error('four were to be claimed');
    const tries = async () =>
      (await desk.store.deliveries({}, { order: 'oldest', limit: 9 })).map(({ attempts }) => attempts);
    expect(await tries()).toEqual([0, 0, 0, 0]);

    await desk.succeed(done);
    await desk.store.handBack([given], { dueAt: now });
    await desk.store.postpone(late, { now, dueAt: now, reason: 'x' });
    await desk.store.advance(dead, { status: 'dead', reason: 'x' }, { now, next: false });

    expect(await tries()).toEqual([1, 0, 1, 1]);
  });

  test('what was claimed ahead can be given back unread, that of some handlers alone, in one operation', async () => {
    const desk = await openDesk(kind);
    for (const id of ['1', '2', '3'])
      await desk.stored({ subject: `company:${id}` }, [route('one'), route('two')]);
    const now = desk.clock.now();
    const request = { now, handlers: ['one', 'two'] };
    const { ahead } = await desk.store.claim({ ...request, limit: 0, ahead: 6 });
    const [begun] = (await ahead.next(1)).deliveries;
    expect([begun?.handler, ahead.handlers().toSorted()]).toEqual(['one', ['one', 'two']]);

    const unread = ahead.withdraw(['one']);
    await desk.store.handBack(unread, { dueAt: now });

    expect(unread.map(({ handler }) => handler)).toEqual(['one', 'one']);
    expect([ahead.left(), ahead.handlers()]).toEqual([3, ['two']]);
    expect((await ahead.next(9)).deliveries.map(({ handler }) => handler)).toEqual(['two', 'two', 'two']);
    const again = await desk.claim(request);
    expect(again.map(({ handler, attempt, event }) => [handler, attempt, event.subject.id])).toEqual([
      ['one', 1, '2'],
      ['one', 1, '3'],
    ]);
  });

  test('of those that are due, one that was never tried can be asked for first', async () => {
    const desk = await openDesk(kind);
    for (const id of ['1', '2']) await desk.stored({ subject: `company:${id}` });
    const now = desk.clock.now();
    for (const tried of await desk.claim()) {
      await desk.store.postpone(tried, { now, dueAt: now, reason: 'x' });
    }
    desk.clock.advance(10);
    await desk.stored({ subject: 'company:untried' });
    const subjectOf = ({ event }: ClaimedDelivery) => event.subject.id;

    expect(subjectOf(await desk.claimOne({ limit: 1, untriedFirst: true }))).toBe('untried');
    expect(subjectOf(await desk.claimOne({ limit: 1, untriedFirst: true }))).toBe('1');
    expect(subjectOf(await desk.claimOne({ limit: 1 }))).toBe('2');
  });

  test('handlers take turns, so the backlog of one does not hold up another', async () => {
    const desk = await openDesk(kind);
    for (const id of ['1', '2', '3', '4']) await desk.stored({ subject: `company:${id}` }, [route('slow')]);
    desk.clock.advance(10);
    for (const id of ['5', '6']) await desk.stored({ subject: `company:${id}` }, [route('quick')]);
    desk.clock.advance(10);

    const claimed = await desk.claim({ handlers: ['slow', 'quick'], limit: 4 });

    expect(claimed.map(({ handler, event }) => `${handler} ${event.subject.id}`)).toEqual([
      'slow 1',
      'quick 5',
      'slow 2',
      'quick 6',
    ]);
  });

  test('subjects, sources and handlers do not wait for each other', async () => {
    const desk = await openDesk(kind);
    const both = [route('one'), route('two')];
    await desk.stored({ subject: 'company:1' }, both);
    await desk.stored({ subject: 'company:2' }, both);
    await desk.stored({ subject: 'company:1', source: 'branch' }, both);

    expect(await desk.claim({ handlers: ['one', 'two'] })).toHaveLength(6);
  });

  test('order handler: everything of the handler is one lane', async () => {
    const desk = await openDesk(kind);
    const routes = [route('ledger', { order: 'handler' })];
    const first = await desk.stored({ subject: 'company:1' }, routes);
    const second = await desk.stored({ subject: 'company:2' }, routes);

    const head = await desk.claimOne({ handlers: ['ledger'] });
    expect(head.event.id).toBe(first);
    expect((await desk.succeed(head, true))?.event.id).toBe(second);
  });

  test('order none: nothing waits for anything', async () => {
    const desk = await openDesk(kind);
    const routes = [route('mailer', { order: 'none' })];
    await desk.stored({ content: 'A' }, routes);
    await desk.stored({ content: 'B' }, routes);

    expect(await desk.claim({ handlers: ['mailer'] })).toHaveLength(2);
  });

  test('only deliveries of the named handlers are claimed', async () => {
    const desk = await openDesk(kind);
    await desk.stored({}, [route('one'), route('two')]);

    expect(await desk.claim({ handlers: ['two'] })).toMatchObject([{ handler: 'two' }]);
    expect(await desk.claim({ handlers: [] })).toEqual([]);
  });

  test('no more than the limit, those due longest first; nextDueAt says that more are due', async () => {
    const desk = await openDesk(kind);
    for (const number of ['1', '2', '3']) {
      await desk.stored({ subject: `company:${number}` });
      desk.clock.advance(10);
    }

    const now = desk.clock.now();
    const claim = await desk.store.claim({ now, limit: 2, handlers: ['anyone'] });

    expect(claim.deliveries.map(({ event }) => event.subject.id)).toEqual(['1', '2']);
    expect(claim.nextDueAt).toBe(now - 10);
    expect(await desk.store.claim({ now, limit: 0, handlers: ['anyone'] })).toMatchObject({
      deliveries: [],
      nextDueAt: now - 10,
    });
  });

  test('nothing waits: nextDueAt is null', async () => {
    const desk = await openDesk(kind);

    expect(await desk.store.claim({ now: desk.clock.now(), limit: 5, handlers: ['anyone'] })).toMatchObject({
      deliveries: [],
      nextDueAt: null,
    });
  });

  test('a lane that moved on goes behind those that are due', async () => {
    const desk = await openDesk(kind);
    await desk.stored({ subject: 'company:1', content: 'A' });
    await desk.stored({ subject: 'company:1', content: 'B' });
    await desk.stored({ subject: 'company:2' });
    desk.clock.advance(1);

    await desk.succeed(await desk.claimOne({ limit: 1 }));

    expect((await desk.claimOne({ limit: 1 })).event.subject.id).toBe('2');
  });

  test('advance with next claims the following delivery; without more it gives up the lane', async () => {
    const desk = await openDesk(kind);
    await desk.stored({ content: 'A' });
    const second = await desk.stored({ content: 'B' });

    const following = await desk.succeed(await desk.claimOne(), true);

    expect(following).toMatchObject({ event: { id: second }, attempt: 1 });
    expect(following === null ? undefined : await desk.succeed(following, true)).toBeNull();
    expect(await desk.claim()).toEqual([]);
  });
}
