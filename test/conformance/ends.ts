import { expect, test } from 'vitest';
import { openDesk } from './desk.ts';
import { route } from './sample-event.ts';
import type { StoreKind } from './store-place.ts';

/** How deliveries end, alone and together. */
export function endRules(kind: StoreKind): void {
  test('a delivery ends with its status and reason', async () => {
    const desk = await openDesk(kind);
    const routes = ['good', 'skipped', 'dead'].map((handler) => route(handler));
    await desk.stored({}, routes);
    const ends = {
      good: { status: 'succeeded' },
      skipped: { status: 'skipped', reason: 'nothing to do' },
      dead: { status: 'dead', reason: 'broken' },
    } as const;

    for (const delivery of await desk.claim({ handlers: Object.keys(ends) })) {
      const end = ends[delivery.handler as keyof typeof ends];
      await desk.store.complete(delivery, end, { now: desk.clock.now(), next: true });
    }

    const finishedAt = desk.clock.now();
    expect(await desk.store.deliveries({}, { order: 'oldest', limit: 10 })).toMatchObject([
      { handler: 'good', status: 'succeeded', attempts: 1, lastError: null, dueAt: null, finishedAt },
      { handler: 'skipped', status: 'skipped', lastError: 'nothing to do', finishedAt },
      { handler: 'dead', status: 'dead', lastError: 'broken', finishedAt },
    ]);
  });

  test('a delivery cannot be ended twice', async () => {
    const desk = await openDesk(kind);
    await desk.stored({ content: 'A' });
    await desk.stored({ content: 'B' });
    const head = await desk.claimOne();
    await desk.succeed(head);

    await expect(desk.succeed(head)).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(await desk.claim()).toHaveLength(1);
  });

  test('several end together, and what follows in their lanes is claimed with them', async () => {
    const desk = await openDesk(kind);
    for (const id of ['1', '2', '3']) await desk.stored({ subject: `company:${id}` });
    const claimed = await desk.claim();
    const behind = await desk.stored({ subject: 'company:2', content: 'B' });
    await desk.stored({ subject: 'company:3', content: 'B' }, [route('another')]);
    const now = desk.clock.now();

    const following = await desk.store.succeed(claimed, { now, next: true });

    expect(following).toMatchObject([{ at: 1, delivery: { attempt: 1, event: { id: behind } } }]);
    expect((await desk.store.statistics()).byHandler).toMatchObject([
      { handler: 'another', pending: 1 },
      { handler: 'anyone', succeeded: 3, running: 1 },
    ]);
    expect(await desk.store.succeed([], { now, next: true })).toEqual([]);
  });

  test('when several end together and their lanes must not go on, the next ones wait', async () => {
    const desk = await openDesk(kind);
    for (const id of ['1', '2']) await desk.stored({ subject: `company:${id}` });
    const claimed = await desk.claim();
    for (const id of ['1', '2']) await desk.stored({ subject: `company:${id}`, content: 'B' });

    expect(await desk.store.succeed(claimed, { now: desk.clock.now(), next: false })).toEqual([]);

    expect(await desk.claim()).toHaveLength(2);
  });

  test('when one of several is not held, none of them ends', async () => {
    const desk = await openDesk(kind);
    for (const id of ['1', '2', '3']) await desk.stored({ subject: `company:${id}` });
    const [first, second, third] = await desk.claim();
    if (first === undefined || second === undefined || third === undefined) throw new Error('too few');
    await desk.succeed(second);

    const together = desk.store.succeed([first, second, third], { now: desk.clock.now(), next: false });

    await expect(together).rejects.toMatchObject({ code: 'invalid-argument' });
    expect((await desk.store.statistics()).byHandler).toMatchObject([{ succeeded: 1, running: 2 }]);
  });
}
