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
        messageIdTrusted: true,
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

  test('of those that are due, one that was never tried can be asked for first', async () => {
    const desk = await openDesk(kind);
    for (const id of ['1', '2']) await desk.stored({ subject: `company:${id}` });
    const now = desk.clock.now();
    for (const tried of await desk.claim()) {
      await desk.store.reschedule(tried, { now, dueAt: now, reason: 'x' });
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
