import { expect, test } from 'vitest';
import type { PauseScope } from '../../../src/store/pauses.ts';
import { UNPARK_STEP } from '../../../src/store/shared/deliveries/head-values.ts';
import { openFixture, readable, type StoreFixture } from '../store-fixture.ts';
import { route } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';
import { createReplay } from '../../support/replay-job.ts';

const HOUR = 3_600_000;

/** What a pause covers, in short: unset parts are null. */
const scope = (given: Partial<PauseScope>): PauseScope => ({
  handler: null,
  source: null,
  subject: null,
  ...given,
});

const lane = (id: string, handler = 'anyone') => scope({ handler, subject: { family: 'company', id } });

async function pause({ store, clock }: StoreFixture, what: PauseScope, until: number | null = null) {
  return store.pause(what, { reason: 'repair', pausedBy: 'ana', until, now: clock.now() });
}

const subjects = (claimed: readonly { readonly event: { readonly subject: { readonly id: string } } }[]) =>
  claimed.map(({ event }) => event.subject.id);

/** Which deliveries wait for pauses, and what is known of them. */
export function pauseRules(kind: StoreKind): void {
  test('a paused handler starts nothing, and others are not held back', async () => {
    const fixture = await openFixture(kind);
    const handlers = ['one', 'two', 'two/effects'];
    await fixture.stored(
      { subject: 'company:1' },
      handlers.map((name) => route(name)),
    );
    await pause(fixture, scope({ handler: 'two' }));

    const claimed = await fixture.claim({ handlers });

    expect(claimed.map(({ handler }) => handler)).toEqual(['one']);
    const { nextDueAt } = await fixture.store.claim({
      now: fixture.clock.now(),
      limit: 9,
      handlers: ['two'],
    });
    expect(nextDueAt).toBeNull();
  });

  test('a paused lane keeps its order and starts again where it stopped', async () => {
    const fixture = await openFixture(kind);
    for (const content of ['a', 'b', 'c']) await fixture.stored({ subject: 'company:1', content });
    await fixture.stored({ subject: 'company:2' });
    const [running, other] = await fixture.claim();
    if (running === undefined || other === undefined) throw new Error('expected two deliveries');
    const { id } = await pause(fixture, lane('1'));

    // What runs finishes, and its lane does not go on.
    const next = await fixture.store.complete(
      running,
      { status: 'succeeded' },
      { now: fixture.clock.now(), next: true },
    );
    expect(next).toBeNull();
    expect(await fixture.claim()).toEqual([]);
    await fixture.stored({ subject: 'company:1', content: 'd' });
    expect(await fixture.claim()).toEqual([]);

    await fixture.store.resume([id]);
    const order: number[] = [];
    for (let left = await fixture.claimOne(); ;) {
      order.push(Number(left.id.slice(1)));
      const following = await fixture.succeed(left, true);
      if (following === null) break;
      left = following;
    }
    expect(order).toHaveLength(3);
    expect(order).toEqual(order.toSorted((one, another) => one - another));
  });

  test('a batch of successes continues no paused lane', async () => {
    const fixture = await openFixture(kind);
    for (const id of ['1', '2'])
      for (const content of ['a', 'b']) await fixture.stored({ subject: `company:${id}`, content });
    const running = await fixture.claim();
    await pause(fixture, lane('1'));

    const now = fixture.clock.now();
    const following = await fixture.store.succeed(running, { now, next: true });

    expect(subjects(following.map(({ delivery }) => readable(delivery)))).toEqual(['2']);
  });

  test('a paused source is accepted and waits, whatever its handlers', async () => {
    const fixture = await openFixture(kind);
    const { id } = await pause(fixture, scope({ source: 'quiet' }));
    const handlers = ['one', 'two'];
    for (const source of ['quiet', 'loud'])
      await fixture.stored(
        { source, subject: 'company:1' },
        handlers.map((name) => route(name)),
      );

    const claimed = await fixture.claim({ handlers });
    expect(claimed.map(({ event, handler }) => `${event.source} ${handler}`).toSorted()).toEqual([
      'loud one',
      'loud two',
    ]);

    await fixture.store.resume([id]);
    expect((await fixture.claim({ handlers })).map(({ event }) => event.source)).toEqual(['quiet', 'quiet']);
  });

  test.each(['handler', 'none'] as const)(
    'a source is paused for a handler with order %s, too',
    async (order) => {
      const fixture = await openFixture(kind);
      const routes = [route('anyone', { order })];
      await fixture.stored({ source: 'quiet', subject: 'company:1' }, routes);
      const { id } = await pause(fixture, scope({ source: 'quiet' }));

      expect(await fixture.claim()).toEqual([]);
      await fixture.store.resume([id]);
      expect(await fixture.claim()).toHaveLength(1);
    },
  );

  test('nothing is prefetched for a paused lane', async () => {
    const fixture = await openFixture(kind);
    for (const id of ['1', '2', '3']) await fixture.stored({ subject: `company:${id}` });
    await pause(fixture, lane('2'));

    const now = fixture.clock.now();
    const { prefetched } = await fixture.store.claim({ now, handlers: ['anyone'], limit: 0, prefetch: 9 });

    expect(subjects((await prefetched.next(9)).deliveries)).toEqual(['1', '3']);
  });

  test('a retry waits for its own time when its lane is resumed before it', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ subject: 'company:1' });
    const delivery = await fixture.claimOne();
    const now = fixture.clock.now();
    await fixture.store.reschedule(delivery, { now, dueAt: now + 500, reason: 'x' });
    const { id } = await pause(fixture, lane('1'));
    expect(await fixture.claim()).toEqual([]);
    await fixture.store.resume([id]);

    expect(await fixture.claim()).toEqual([]);
    fixture.clock.advance(500);
    expect(await fixture.claimOne()).toMatchObject({ id: delivery.id, attempt: 2 });
  });

  test('a manual retry and a replay of a paused lane wait', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ subject: 'company:1' });
    const delivery = await fixture.claimOne();
    const now = fixture.clock.now();
    await fixture.store.complete(delivery, { status: 'dead', reason: 'x' }, { now, next: false });
    const { id } = await pause(fixture, lane('1'));
    const replay = await createReplay(fixture.store, { handlers: ['anyone'] }, now);
    const deliveries = [{ route: route('anyone'), events: [Number(delivery.event.id.split('-')[1])] }];
    await fixture.store.enqueueReplay(replay.id, deliveries, { cursor: '', now });
    await fixture.store.retryDeliveries([delivery.id], now);

    expect(await fixture.claim()).toEqual([]);
    await fixture.store.resume([id]);
    expect((await fixture.claimOne()).id).toBe(delivery.id);
  });

  test('a paused delivery can be discarded, and its lane stays paused', async () => {
    const fixture = await openFixture(kind);
    for (const content of ['a', 'b']) await fixture.stored({ subject: 'company:1', content });
    const { id } = await pause(fixture, lane('1'));
    expect(await fixture.claim()).toEqual([]);
    const now = fixture.clock.now();
    expect(await fixture.store.discardDeliveries(['d1'], { reason: 'old', now })).toEqual(['d1']);

    expect(await fixture.claim()).toEqual([]);
    await fixture.store.resume([id]);
    expect((await fixture.claimOne()).id).toBe('d2');
  });

  test('a pause ends by itself', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ subject: 'company:1' });
    await pause(fixture, lane('1'), fixture.clock.now() + HOUR);
    expect(await fixture.claim()).toEqual([]);

    fixture.clock.advance(HOUR);

    expect(await fixture.store.pauses()).toEqual([]);
    expect(await fixture.claim()).toHaveLength(1);
  });

  test('a pause of a guest holds back the owner from its commit on', async () => {
    const fixture = await openFixture(kind);
    const guest = await fixture.openAgain('guest');
    await fixture.stored({ subject: 'company:1' });
    const about = { reason: 'repair', pausedBy: 'ana', until: null, now: fixture.clock.now() };
    const before = await fixture.store.pauseChanges();
    const { id } = await guest.pause(lane('1'), about);

    expect(await fixture.claim()).toEqual([]);
    expect(await fixture.store.pauseChanges()).not.toBe(before);
    await guest.resume([id]);
    expect(await fixture.claim()).toHaveLength(1);
  });

  test('pauses are kept, and say since when, by whom, why and whether they are acknowledged', async () => {
    const fixture = await openFixture(kind);
    const pausedAt = fixture.clock.now();
    const paused = await pause(fixture, lane('1'));
    expect(paused).toEqual({
      id: 'p1',
      ...lane('1'),
      reason: 'repair',
      pausedBy: 'ana',
      pausedAt,
      until: null,
      acknowledgedAt: null,
      deadLetter: null,
    });
    fixture.clock.advance(10);
    await fixture.store.acknowledgePauses([paused.id], fixture.clock.now());
    const again = await fixture.store.pause(lane('1'), {
      ...{ reason: 'still broken', pausedBy: 'rui', until: null, now: fixture.clock.now() },
    });

    expect(await fixture.store.pauses()).toEqual([again]);
    expect(again).toEqual({
      ...paused,
      reason: 'still broken',
      pausedBy: 'rui',
      acknowledgedAt: pausedAt + 10,
    });
    expect((await fixture.store.totals()).pauses).toEqual([again]);
    expect(await fixture.store.resume([paused.id, 'p9'])).toEqual([again]);
    expect(await fixture.store.resume([paused.id])).toEqual([]);
  });

  test('a list of deliveries says which of them wait for a pause, and a count how many', async () => {
    const fixture = await openFixture(kind);
    for (const content of ['a', 'b']) await fixture.stored({ subject: 'company:1', content });
    await fixture.stored({ subject: 'company:2' });
    const paused = await pause(fixture, lane('1'));
    await fixture.claim();

    const rows = await fixture.store.deliveries({}, { order: 'oldest', limit: 9 });
    expect(rows.map(({ pausedBy }) => pausedBy)).toEqual([paused, paused, null]);
    const count = (what: PauseScope, most = 9) => fixture.store.pausedDeliveries(what, most);
    expect(await count(lane('1'))).toEqual({ deliveries: 2, more: false });
    expect(await count(lane('1'), 1)).toEqual({ deliveries: 1, more: true });
    expect(await count(scope({ handler: 'anyone' }))).toEqual({ deliveries: 2, more: false });
    const [row] = rows;
    expect(await count(scope({ source: row?.source ?? null }))).toEqual({ deliveries: 2, more: false });
    expect(await count(scope({ source: 'unheard' }))).toEqual({ deliveries: 0, more: false });
  });

  test('retention keeps what waits for a pause, however old', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ subject: 'company:1' });
    await pause(fixture, lane('1'));
    await fixture.claim();
    fixture.clock.advance(400 * 24 * HOUR);
    const before = fixture.clock.now();

    const { rows, waiting } = await fixture.store.prunableEvents({ before, after: 0, limit: 9 });
    expect([rows, waiting]).toEqual([[], 1]);
    const request = { events: [1], machines: [], bases: [], before, now: before };
    expect(await fixture.store.pruneEvents(request)).toEqual({ events: 0, bytes: 0 });
  });

  test('a thousand paused lanes neither starve another nor stand in the way of a claim of one', async () => {
    const fixture = await openFixture(kind);
    const ids = Array.from({ length: 1_000 }, (_, at) => String(at));
    await Promise.all(ids.map((id) => fixture.stored({ source: 'quiet', subject: `company:${id}` })));
    await fixture.stored({ source: 'loud', subject: 'company:last' });
    const { id } = await pause(fixture, scope({ source: 'quiet' }));

    expect(subjects(await fixture.claim({ limit: 1 }))).toEqual(['last']);
    await fixture.store.resume([id]);
    expect(await fixture.claim({ limit: 1_001 })).toHaveLength(1_000);
  });

  test('a claim returns all that it starts while it looks through the backlog of a pause', async () => {
    const fixture = await openFixture(kind);
    const ids = Array.from({ length: UNPARK_STEP + 1 }, (_, at) => String(at));
    await Promise.all(ids.map((id) => fixture.stored({ source: 'quiet', subject: `company:${id}` })));
    const { id } = await pause(fixture, scope({ source: 'quiet' }));
    expect(await fixture.claim()).toEqual([]);
    await fixture.store.resume([id]);

    const now = fixture.clock.now();
    const { prefetched } = await fixture.store.claim({ now, handlers: ['anyone'], limit: 0, prefetch: 9 });

    const running = await fixture.store.deliveries({ status: 'running' }, { order: 'oldest', limit: 100 });
    expect([prefetched.left(), running.length]).toEqual([9, 9]);
  });
}
