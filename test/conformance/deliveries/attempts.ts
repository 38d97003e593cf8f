import { expect, test } from 'vitest';
import { openFixture, type StoreFixture } from '../store-fixture.ts';
import { route } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';

/** Fails the next attempt, which is due again a second later. */
async function fail(fixture: StoreFixture, reason: string, durationMs?: number): Promise<string> {
  const delivery = await fixture.claimOne();
  const now = fixture.clock.now();
  await fixture.store.reschedule(delivery, {
    ...{ now, dueAt: now + 1_000, reason },
    ...(durationMs !== undefined && { durationMs }),
  });
  fixture.clock.advance(1_000);
  return delivery.id;
}

/** The history of attempts. */
export function attemptRules(kind: StoreKind): void {
  test('keeps attempts that failed, over a later success and a retry by hand', async () => {
    const fixture = await openFixture(kind);
    const { store, clock } = fixture;
    await fixture.stored({ subject: 'company:1' });
    const start = clock.now();
    const id = await fail(fixture, 'Error: closed', 12.6);
    const last = await fixture.claimOne();
    const end = { status: 'dead', reason: 'Error: gone', durationMs: 3 } as const;
    await store.complete(last, end, { now: clock.now(), next: false });
    await store.retryDeliveries([id], clock.now());
    await fail(fixture, 'Error: again');
    await fixture.succeed(await fixture.claimOne());

    const common = { deliveryId: id };
    expect(await store.attempts([id])).toEqual([
      {
        ...common,
        ...{ attempt: 1, outcome: 'failed', endedAt: start, durationMs: 13 },
        ...{ dueAt: start + 1_000, error: 'Error: closed' },
      },
      {
        ...common,
        ...{ attempt: 2, outcome: 'dead', endedAt: start + 1_000, durationMs: 3, dueAt: null },
        error: 'Error: gone',
      },
      {
        ...common,
        ...{ attempt: 1, outcome: 'failed', endedAt: start + 1_000, durationMs: null },
        ...{ dueAt: start + 2_000, error: 'Error: again' },
      },
    ]);
  });

  test('keeps nothing of a success, a discard or a release', async () => {
    const fixture = await openFixture(kind);
    const { store, clock } = fixture;
    for (const subject of ['company:1', 'company:2', 'company:3']) await fixture.stored({ subject });
    const [one, two, three] = await fixture.claim();
    await store.succeed([one!], { now: clock.now(), next: false });
    await store.complete(two!, { status: 'skipped', reason: 'not ours' }, { now: clock.now(), next: false });
    await store.release([three!], { dueAt: clock.now() });
    expect(await store.attempts([one!.id, two!.id, three!.id, 'nonsense'])).toEqual([]);
  });

  test('keeps the latest 50 of a delivery', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ subject: 'company:1' });
    await fixture.stored({ subject: 'company:2' }, [route('other')]);
    let id = '';
    for (let attempt = 1; attempt <= 53; attempt += 1) id = await fail(fixture, `Error ${String(attempt)}`);
    const kept = await fixture.store.attempts([id]);
    expect(kept).toHaveLength(50);
    expect([kept[0]?.error, kept.at(-1)?.error]).toEqual(['Error 4', 'Error 53']);
  });

  test('keeps how a round ended for longer than the attempts within it', async () => {
    const fixture = await openFixture(kind);
    const { store, clock } = fixture;
    await fixture.stored({ subject: 'company:1' });
    const dead = await fixture.claimOne();
    await store.complete(dead, { status: 'dead', reason: 'Error: gone' }, { now: clock.now(), next: false });
    await store.retryDeliveries([dead.id], clock.now());
    for (let attempt = 1; attempt <= 52; attempt += 1) await fail(fixture, `Error ${String(attempt)}`);

    const kept = await store.attempts([dead.id]);
    expect(kept).toHaveLength(50);
    expect(kept.map(({ error }) => error)).toEqual([
      'Error: gone',
      ...Array.from({ length: 49 }, (_, at) => `Error ${String(at + 4)}`),
    ]);
    // So a plan knows that it was retried.
    expect(await store.countDeliveries({})).toMatchObject({ handlers: [{ retriedBefore: 1 }] });
  });

  test('keeps an attempt with which the process ended', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ subject: 'company:1' });
    const { id } = await fixture.claimOne();
    expect(await fixture.store.recover()).toBe(1);
    expect(await fixture.store.attempts([id])).toMatchObject([
      { attempt: 1, outcome: 'interrupted', durationMs: null, error: 'the process ended during attempt 1' },
    ]);
  });

  test('erases what they quote, and prunes them with their delivery', async () => {
    const fixture = await openFixture(kind);
    const { store, clock } = fixture;
    await fixture.stored({ subject: 'company:1' });
    const id = await fail(fixture, 'no such driver: Ana');
    await fixture.succeed(await fixture.claimOne());

    const [content] = await store.contents('attempt', { after: 0, limit: 9 });
    expect(content).toMatchObject({
      id: `${id} attempt 1`,
      subject: { family: 'company', id: '1' },
      texts: { error: 'no such driver: Ana' },
    });
    const change = { before: 'no such driver: Ana', after: 'no such driver: [erased]' };
    expect(
      await store.eraseContents([{ place: 'attempt', row: content!.row, texts: { error: change } }]),
    ).toEqual(['changed']);
    expect((await store.attempts([id]))[0]?.error).toBe('no such driver: [erased]');

    const request = { after: 0, limit: 10, before: clock.now() + 1 };
    const { rows } = await store.prunableDeliveries(request);
    expect(rows).toHaveLength(1);
    expect(await store.pruneDeliveries(rows, request.before)).toEqual({ deliveries: 1, discarded: 0 });
    expect(await store.attempts([id])).toEqual([]);
    expect((await store.prunableDeliveries(request)).rows).toEqual([]);
  });
}
