import { expect, test } from 'vitest';
import type { ClaimedDelivery } from '../../../src/store/lane-queue.ts';
import { eventually } from '../../support/eventually.ts';
import { openFixture, type StoreFixture } from '../store-fixture.ts';
import { route } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';

/** The completion of deliveries, one by one and in batches. */
export function completionRules(kind: StoreKind): void {
  test('records the status and reason of a completed delivery', async () => {
    const fixture = await openFixture(kind);
    const routes = ['good', 'skipped', 'dead'].map((handler) => route(handler));
    await fixture.stored({}, routes);
    const ends = {
      good: { status: 'succeeded' },
      skipped: { status: 'skipped', reason: 'nothing to do' },
      dead: { status: 'dead', reason: 'broken' },
    } as const;

    for (const delivery of await fixture.claim({ handlers: Object.keys(ends) })) {
      const end = ends[delivery.handler as keyof typeof ends];
      await fixture.store.complete(delivery, end, { now: fixture.clock.now(), next: true });
    }

    const finishedAt = fixture.clock.now();
    expect(await fixture.store.deliveries({}, { order: 'oldest', limit: 10 })).toMatchObject([
      { handler: 'good', status: 'succeeded', attempts: 1, lastError: null, dueAt: null, finishedAt },
      { handler: 'skipped', status: 'skipped', lastError: 'nothing to do', finishedAt },
      { handler: 'dead', status: 'dead', lastError: 'broken', finishedAt },
    ]);
  });

  test('rejects the completion of a completed delivery', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ content: 'A' });
    await fixture.stored({ content: 'B' });
    const head = await fixture.claimOne();
    await fixture.succeed(head);

    await expect(fixture.succeed(head)).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(await fixture.claim()).toHaveLength(1);
  });

  test('completes a batch and claims the following deliveries of its lanes', async () => {
    const fixture = await openFixture(kind);
    for (const id of ['1', '2', '3']) await fixture.stored({ subject: `company:${id}` });
    const claimed = await fixture.claim();
    const behind = await fixture.stored({ subject: 'company:2', content: 'B' });
    await fixture.stored({ subject: 'company:3', content: 'B' }, [route('another')]);
    const now = fixture.clock.now();

    const following = await fixture.store.succeed(claimed, { now, next: true });

    expect(following).toMatchObject([{ at: 1, delivery: { attempt: 1, event: { id: behind } } }]);
    expect((await fixture.store.statistics()).byHandler).toMatchObject([
      { handler: 'another', pending: 1 },
      { handler: 'anyone', succeeded: 3, running: 1 },
    ]);
    expect(await fixture.store.succeed([], { now, next: true })).toEqual([]);
  });

  test('completes a batch without claiming the following deliveries', async () => {
    const fixture = await openFixture(kind);
    for (const id of ['1', '2']) await fixture.stored({ subject: `company:${id}` });
    const claimed = await fixture.claim();
    for (const id of ['1', '2']) await fixture.stored({ subject: `company:${id}`, content: 'B' });

    expect(await fixture.store.succeed(claimed, { now: fixture.clock.now(), next: false })).toEqual([]);

    expect(await fixture.claim()).toHaveLength(2);
  });

  test('completes no delivery of a batch when one is not in flight', async () => {
    const fixture = await openFixture(kind);
    for (const id of ['1', '2', '3']) await fixture.stored({ subject: `company:${id}` });
    const [first, second, third] = await fixture.claim();
    if (first === undefined || second === undefined || third === undefined)
      throw new Error('expected three deliveries');
    await fixture.succeed(second);

    const together = fixture.store.succeed([first, second, third], { now: fixture.clock.now(), next: false });

    await expect(together).rejects.toMatchObject({ code: 'invalid-argument' });
    expect((await fixture.store.statistics()).byHandler).toMatchObject([{ succeeded: 1, running: 2 }]);
  });

  test('an abandoned delivery is claimed again, before the next one of its lane, with its attempt uncounted', async () => {
    const fixture = await openFixture(kind);
    const ids = [await fixture.stored({ content: 'A' }), await fixture.stored({ content: 'B' })];
    const lost = await fixture.claimOne();

    fixture.store.abandon([lost]);

    const again = await claimReleased(fixture);
    expect(again).toMatchObject([{ id: lost.id, attempt: 1, event: { id: ids[0] } }]);
    expect(await fixture.claim(), 'one at a time in a lane').toEqual([]);
    expect(await fixture.succeed(again[0] ?? lost, true)).toMatchObject({ event: { id: ids[1] } });
  });

  test('forgetting a delivery that has ended releases nothing', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ content: 'A' });
    const ended = await fixture.claimOne();
    await fixture.stored({ content: 'B' });
    const following = await fixture.succeed(ended, true);
    await fixture.stored({ subject: 'company:2' });
    const lost = await fixture.claimOne();

    fixture.store.abandon([ended, lost]);

    expect(await claimReleased(fixture)).toMatchObject([{ id: lost.id }]);
    expect(await fixture.store.statistics()).toMatchObject({ deliveries: { succeeded: 1, running: 2 } });
    expect(await fixture.succeed(following ?? ended)).toBeNull();
  });
}

/** Claims once something is released: a store may release with a heartbeat. */
function claimReleased({ claim, clock }: StoreFixture): Promise<readonly ClaimedDelivery[]> {
  return eventually('a delivery is released', async () => {
    const deliveries = await claim();
    clock.advance(1_000);
    return deliveries.length > 0 && deliveries;
  });
}
