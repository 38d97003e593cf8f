import { expect, test } from 'vitest';
import type { ClaimedDelivery } from '../../../src/store/lane-queue.ts';
import { openFixture } from '../store-fixture.ts';
import { route } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';

/** The order of claims, within lanes and between them. */
export function laneRules(kind: StoreKind): void {
  test('a claimed delivery has its event and the number of its attempt', async () => {
    const fixture = await openFixture(kind);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const headers = { 'x-a': 'b', traceparent };
    const id = await fixture.stored({ content: 'A', version: '7', messageId: 'm1', headers });

    expect(await fixture.claimOne()).toEqual({
      id: 'd1',
      lane: expect.any(String) as string,
      holder: expect.any(Number) as number,
      start: expect.any(Number) as number,
      handler: 'anyone',
      effect: null,
      attempt: 1,
      replay: null,
      traceparent,
      event: {
        id,
        kind: 'company.updated',
        recognized: true,
        source: 'default',
        subject: { family: 'company', id: '1' },
        verdict: 'new',
        flags: [],
        version: '7',
        receivedAt: fixture.clock.now(),
        repeats: 0,
        lastRepeatAt: null,
        messageId: 'm1',
        messageIdTrusted: true,
        data: { id: '1', content: 'A' },
      },
    });
  });

  test('delivers the events of a subject one at a time, in arrival order', async () => {
    const fixture = await openFixture(kind);
    const first = await fixture.stored({ content: 'A' });
    const second = await fixture.stored({ content: 'B' });

    const head = await fixture.claimOne();
    expect(head.event.id).toBe(first);
    expect(await fixture.claim()).toEqual([]);

    await fixture.succeed(head);
    expect((await fixture.claimOne()).event.id).toBe(second);
  });

  test('with untriedFirst, claims a due delivery without attempts first', async () => {
    const fixture = await openFixture(kind);
    for (const id of ['1', '2']) await fixture.stored({ subject: `company:${id}` });
    const now = fixture.clock.now();
    for (const tried of await fixture.claim()) {
      await fixture.store.reschedule(tried, { now, dueAt: now, reason: 'x' });
    }
    fixture.clock.advance(10);
    await fixture.stored({ subject: 'company:untried' });
    const subjectOf = ({ event }: ClaimedDelivery) => event.subject.id;

    expect(subjectOf(await fixture.claimOne({ limit: 1, untriedFirst: 'oldest' }))).toBe('untried');
    expect(subjectOf(await fixture.claimOne({ limit: 1, untriedFirst: 'oldest' }))).toBe('1');
    expect(subjectOf(await fixture.claimOne({ limit: 1, untriedFirst: 'newest' }))).toBe('2');
  });

  test('with untriedFirst, claims the oldest or the newest of the due deliveries without attempts', async () => {
    const fixture = await openFixture(kind);
    for (const id of ['1', '2', '3', '4']) {
      await fixture.stored({ subject: `company:${id}` });
      fixture.clock.advance(10);
    }
    const claimOne = (which: 'oldest' | 'newest') => fixture.claimOne({ limit: 1, untriedFirst: which });
    const subjectOf = ({ event }: ClaimedDelivery) => event.subject.id;

    const oldest = await claimOne('oldest');
    expect(subjectOf(oldest)).toBe('1');
    // Due later than all others, but still the oldest.
    await fixture.store.release([oldest], { dueAt: fixture.clock.now() });
    expect(subjectOf(await claimOne('newest'))).toBe('4');
    expect(subjectOf(await claimOne('oldest'))).toBe('2');
    expect(subjectOf(await claimOne('newest'))).toBe('3');
    expect(subjectOf(await claimOne('newest'))).toBe('1');
  });

  test('with exceptSources, prefers a due delivery of another source', async () => {
    const fixture = await openFixture(kind);
    for (const [id, source] of [
      ['1', 'noisy'],
      ['2', 'quiet'],
      ['3', 'quiet'],
      ['4', 'noisy'],
    ] as const) {
      await fixture.stored({ subject: `company:${id}`, source });
      fixture.clock.advance(10);
    }
    const claimOne = (which: 'oldest' | 'newest', ...exceptSources: string[]) =>
      fixture.claimOne({ limit: 1, untriedFirst: which, exceptSources });
    const subjectOf = ({ event }: ClaimedDelivery) => event.subject.id;

    expect(subjectOf(await claimOne('newest', 'noisy'))).toBe('3');
    expect(subjectOf(await claimOne('oldest', 'noisy'))).toBe('2');
    expect(subjectOf(await claimOne('newest', 'noisy')), 'no other source waits').toBe('4');
    expect(subjectOf(await claimOne('oldest', 'noisy', 'quiet'))).toBe('1');
  });

  test('alternates between handlers, so that the backlog of one does not hold up another', async () => {
    const fixture = await openFixture(kind);
    for (const id of ['1', '2', '3', '4'])
      await fixture.stored({ subject: `company:${id}` }, [route('slow')]);
    fixture.clock.advance(10);
    for (const id of ['5', '6']) await fixture.stored({ subject: `company:${id}` }, [route('quick')]);
    fixture.clock.advance(10);

    const claimed = await fixture.claim({ handlers: ['slow', 'quick'], limit: 4 });

    expect(claimed.map(({ handler, event }) => `${handler} ${event.subject.id}`)).toEqual([
      'slow 1',
      'quick 5',
      'slow 2',
      'quick 6',
    ]);
  });

  test('subjects, sources and handlers do not wait for each other', async () => {
    const fixture = await openFixture(kind);
    const both = [route('one'), route('two')];
    await fixture.stored({ subject: 'company:1' }, both);
    await fixture.stored({ subject: 'company:2' }, both);
    await fixture.stored({ subject: 'company:1', source: 'branch' }, both);

    expect(await fixture.claim({ handlers: ['one', 'two'] })).toHaveLength(6);
  });

  test('with order handler, all deliveries of the handler share a lane', async () => {
    const fixture = await openFixture(kind);
    const routes = [route('ledger', { order: 'handler' })];
    const first = await fixture.stored({ subject: 'company:1' }, routes);
    const second = await fixture.stored({ subject: 'company:2' }, routes);

    const head = await fixture.claimOne({ handlers: ['ledger'] });
    expect(head.event.id).toBe(first);
    expect((await fixture.succeed(head, true))?.event.id).toBe(second);
  });

  test('with order none, deliveries do not wait for each other', async () => {
    const fixture = await openFixture(kind);
    const routes = [route('mailer', { order: 'none' })];
    await fixture.stored({ content: 'A' }, routes);
    await fixture.stored({ content: 'B' }, routes);

    expect(await fixture.claim({ handlers: ['mailer'] })).toHaveLength(2);
  });

  test('claims only deliveries of the requested handlers', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({}, [route('one'), route('two')]);

    expect(await fixture.claim({ handlers: ['two'] })).toMatchObject([{ handler: 'two' }]);
    expect(await fixture.claim({ handlers: [] })).toEqual([]);
  });

  test('claims up to the limit, longest due first; nextDueAt says that more are due', async () => {
    const fixture = await openFixture(kind);
    for (const number of ['1', '2', '3']) {
      await fixture.stored({ subject: `company:${number}` });
      fixture.clock.advance(10);
    }

    const now = fixture.clock.now();
    const claim = await fixture.store.claim({ now, limit: 2, handlers: ['anyone'] });

    expect(claim.deliveries.map(({ event }) => event.subject.id)).toEqual(['1', '2']);
    expect(claim.nextDueAt).toBe(now - 10);
    expect(await fixture.store.claim({ now, limit: 0, handlers: ['anyone'] })).toMatchObject({
      deliveries: [],
      nextDueAt: now - 10,
    });
  });

  test('nextDueAt is null when nothing waits', async () => {
    const fixture = await openFixture(kind);

    expect(
      await fixture.store.claim({ now: fixture.clock.now(), limit: 5, handlers: ['anyone'] }),
    ).toMatchObject({
      deliveries: [],
      nextDueAt: null,
    });
  });

  test('a lane that continues queues behind those that are due', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ subject: 'company:1', content: 'A' });
    await fixture.stored({ subject: 'company:1', content: 'B' });
    await fixture.stored({ subject: 'company:2' });
    fixture.clock.advance(1);

    await fixture.succeed(await fixture.claimOne({ limit: 1 }));

    expect((await fixture.claimOne({ limit: 1 })).event.subject.id).toBe('2');
  });

  test('complete with next claims the following delivery of the lane, or none at its end', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ content: 'A' });
    const second = await fixture.stored({ content: 'B' });

    const following = await fixture.succeed(await fixture.claimOne(), true);

    expect(following).toMatchObject({ event: { id: second }, attempt: 1 });
    expect(following === null ? undefined : await fixture.succeed(following, true)).toBeNull();
    expect(await fixture.claim()).toEqual([]);
  });
}
