/** Lanes that wait behind a dead letter: `afterDeadLetter: 'hold'`. */
import { expect, test } from 'vitest';
import { keyedIds } from '../../../src/store/erased-content.ts';
import type { LaneOrder } from '../../../src/store/route.ts';
import { openFixture, type StoreFixture } from '../store-fixture.ts';
import { route } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';

const DAY = 24 * 3_600_000;

/** A lane of three deliveries whose first, `d1`, has become a dead letter that holds it, and one of another subject, `d4`. */
async function givenHeldLane(kind: StoreKind, order: LaneOrder = 'subject'): Promise<StoreFixture> {
  const fixture = await openFixture(kind);
  const routes = [route('anyone', { order })];
  for (const content of ['a', 'b', 'c']) await fixture.stored({ subject: 'company:1', content }, routes);
  const first = await fixture.claimOne();
  const end = { status: 'dead', reason: 'no such account', hold: true } as const;
  const next = await fixture.store.complete(first, end, { now: fixture.clock.now(), next: true });
  expect([first.id, next]).toEqual(['d1', null]);
  await fixture.stored({ subject: 'company:2' }, routes);
  return fixture;
}

const claimedIds = async (fixture: StoreFixture) => (await fixture.claim()).map(({ id }) => id);

/** Runs what can run, and returns the ids in order. */
async function runAll(fixture: StoreFixture): Promise<readonly string[]> {
  const ran: string[] = [];
  for (;;) {
    const claimed = await fixture.claim();
    if (claimed.length === 0) return ran;
    for (const delivery of claimed) await fixture.succeed(delivery);
    ran.push(...claimed.map(({ id }) => id));
  }
}

export function holdRules(kind: StoreKind): void {
  test('a held lane waits behind its dead letter, others run, and lists say which delivery it is', async () => {
    const fixture = await givenHeldLane(kind);

    expect(await runAll(fixture)).toEqual(['d4']);

    const subject = { family: 'company', id: '1' };
    const rows = await fixture.store.deliveries({}, { order: 'oldest', limit: 9 });
    expect(rows.map(({ status, pausedBy }) => [status, pausedBy?.deadLetter])).toEqual([
      ['dead', undefined],
      ['pending', 'd1'],
      ['pending', 'd1'],
      ['succeeded', undefined],
    ]);
    expect(await fixture.store.pauses()).toMatchObject([
      { handler: 'anyone', subject, until: null, deadLetter: 'd1', pausedBy: 'Portaria' },
    ]);
    await fixture.stored({ source: 'other', subject: 'company:1' });
    expect(await claimedIds(fixture), 'the lane is of one source').toHaveLength(1);
  });

  test('a retry runs the dead letter first, then what waits behind it, and holds again when it fails again', async () => {
    const fixture = await givenHeldLane(kind);
    const now = fixture.clock.now();
    await fixture.claim();
    await fixture.store.retryDeliveries(['d1'], now);
    expect(await fixture.store.pauses()).toEqual([]);
    const again = await fixture.claimOne();
    await fixture.store.complete(again, { status: 'dead', reason: 'x', hold: true }, { now, next: true });
    expect(await claimedIds(fixture)).toEqual([]);

    await fixture.store.retryDeliveries(['d1'], now);
    expect(await runAll(fixture)).toEqual(['d1', 'd2', 'd3']);
  });

  test('a discard of the dead letter lets the lane go on', async () => {
    const fixture = await givenHeldLane(kind);
    await fixture.claim();
    await fixture.store.discardDeliveries(['d1'], { reason: 'x', now: fixture.clock.now() });
    expect(await runAll(fixture)).toEqual(['d2', 'd3']);
    expect(await fixture.store.pauses()).toEqual([]);
  });

  test('a resume lets the lane go on, and the dead letter stays', async () => {
    const fixture = await givenHeldLane(kind);
    await fixture.claim();
    const [held] = await fixture.store.pauses();
    await fixture.store.resume([held?.id ?? '']);
    expect(await runAll(fixture)).toEqual(['d2', 'd3']);
    expect(await fixture.store.deliveries({ status: 'dead' }, { order: 'oldest', limit: 9 })).toHaveLength(1);
  });

  test('a lane goes on when retention discards its dead letter', async () => {
    const fixture = await givenHeldLane(kind);
    await fixture.claim();
    fixture.clock.advance(DAY);
    const pruned = await fixture.store.pruneDeliveries([1], fixture.clock.now());
    expect(pruned).toMatchObject({ discarded: 1 });
    expect(await runAll(fixture)).toEqual(['d2', 'd3']);
  });

  test('an operator’s pause of the same lane is one of its own, and lasts longer', async () => {
    const fixture = await givenHeldLane(kind);
    const now = fixture.clock.now();
    const scope = { handler: 'anyone', source: null, subject: { family: 'company', id: '1' } };
    const { id } = await fixture.store.pause(scope, { reason: 'x', pausedBy: 'ana', until: null, now });
    await fixture.store.discardDeliveries(['d1'], { reason: 'x', now });
    expect(await runAll(fixture)).toEqual(['d4']);
    await fixture.store.resume([id]);
    expect(await runAll(fixture)).toEqual(['d2', 'd3']);
  });

  test.each([
    ['an event of a subject whose id is a digest', 'event', `content-${'0'.repeat(32)}`],
    ['a subject whose id identifies the person', 'subject', '52998224725'],
  ] as const)('a lane stays held when an erasure of %s gives it another id', async (_, place, entity) => {
    const fixture = await openFixture(kind);
    const { store, clock } = fixture;
    for (const content of ['a', 'b']) await fixture.stored({ subject: `any:${entity}`, content });
    const end = { status: 'dead', reason: 'x', hold: true } as const;
    await store.complete(await fixture.claimOne(), end, { now: clock.now(), next: true });
    const [found] = await store.contents(place, { after: 0, limit: 1 });
    const before = found?.body ?? new Uint8Array();
    await store.beginErasure({ requestedBy: 'dpo', reason: 'asked', identifiers: [] });
    const change =
      place === 'event'
        ? { body: { before, after: new TextEncoder().encode('{}') } }
        : { texts: { entity: { before: entity, after: entity } } };
    expect(await store.eraseContents([{ place, row: found?.row ?? 0, ...change }])).toEqual(['changed']);

    expect(await claimedIds(fixture)).toEqual([]);
    const id = keyedIds(await store.erasureKey())(entity);
    expect((await store.pauses()).map(({ subject }) => subject?.id)).toEqual([id]);
  });

  test('the single lane of a handler waits as a whole', async () => {
    const fixture = await givenHeldLane(kind, 'handler');
    expect(await runAll(fixture)).toEqual([]);
    await fixture.store.retryDeliveries(['d1'], fixture.clock.now());
    expect(await runAll(fixture)).toEqual(['d1', 'd2', 'd3', 'd4']);
  });

  test('a claim that shares the commit of the dead letter starts nothing behind it', async () => {
    const fixture = await openFixture(kind);
    for (const content of ['a', 'b']) await fixture.stored({ subject: 'company:1', content });
    const first = await fixture.claimOne();
    const now = fixture.clock.now();
    const [, , started] = await Promise.all([
      fixture.claim(),
      fixture.store.complete(first, { status: 'dead', reason: 'x', hold: true }, { now, next: true }),
      fixture.claim(),
    ]);
    expect(started).toEqual([]);
  });
}
