/** Lanes of which only the newest delivery runs: `order: 'latest'`. */
import { expect, test } from 'vitest';
import type { Claim, ClaimedDelivery, LatestPolicy } from '../../../src/store/lane-queue.ts';
import type { DeliveryRecord } from '../../../src/store/queries.ts';
import { createReplay } from '../../support/replay-job.ts';
import { route, type EventSketch } from '../sample-event.ts';
import { openFixture, type StoreFixture } from '../store-fixture.ts';
import type { StoreKind } from '../store-place.ts';

/** A store whose handler `anyone` wants the newest event of each subject. */
async function givenLatest(kind: StoreKind, { quietMs = 0, maxWaitMs = 0 }: Partial<LatestPolicy> = {}) {
  const fixture = await openFixture(kind);
  const { store, clock } = fixture;
  const latest = [{ handler: 'anyone', quietMs, maxWaitMs }];
  const claimAll = (): Promise<Claim> =>
    store.claim({ now: clock.now(), limit: 100, handlers: ['anyone', 'other'], latest });
  const claim = async (): Promise<readonly ClaimedDelivery[]> => (await claimAll()).deliveries;
  const arrive = (content: string, sketch: EventSketch = {}): Promise<string> =>
    fixture.stored({ content, ...sketch });
  return { ...fixture, claimAll, claim, arrive };
}

const contents = (claimed: readonly ClaimedDelivery[]) =>
  claimed.map(({ event }) => (event.data as { readonly content: string }).content);

/** Each delivery in order of arrival: its status, and the reason if it was skipped. */
async function rows({ store }: Pick<StoreFixture, 'store'>, limit = 99): Promise<readonly string[]> {
  const found: readonly DeliveryRecord[] = await store.deliveries({}, { order: 'oldest', limit });
  return found.map(({ status, lastError }) => (status === 'skipped' ? `skipped: ${lastError}` : status));
}

export function latestRules(kind: StoreKind): void {
  test('the newest that waits runs, and the earlier ones end as skipped with its id', async () => {
    const given = await givenLatest(kind);
    await given.arrive('first');
    await given.arrive('second');
    const third = await given.arrive('third');
    await given.arrive('of another', { subject: 'company:2' });

    const claim = await given.claimAll();

    expect(contents(claim.deliveries).toSorted()).toEqual(['of another', 'third']);
    expect(claim.superseded).toEqual([{ handler: 'anyone', deliveries: 2 }]);
    const reason = `skipped: superseded by ${third}`;
    expect(await rows(given)).toEqual([reason, reason, 'running', 'running']);
    expect((await given.store.statistics()).byHandler).toMatchObject([
      { skipped: 2, running: 2, pending: 0 },
    ]);
    const [skipped] = await given.store.deliveries({}, { order: 'oldest', limit: 1 });
    expect(skipped).toMatchObject({ attempts: 0, finishedAt: given.clock.now(), dueAt: null });
  });

  test('what arrives while one runs waits, and only the newest of it runs, after that one', async () => {
    const given = await givenLatest(kind);
    await given.arrive('runs');
    const [running] = await given.claim();
    await given.arrive('second');
    const newest = await given.arrive('third');
    expect(contents(await given.claim()), 'one runs at a time').toEqual([]);

    if (running !== undefined) await given.succeed(running);

    expect(contents(await given.claim())).toEqual(['third']);
    expect(await rows(given)).toEqual(['succeeded', `skipped: superseded by ${newest}`, 'running']);
  });

  test('a handler of another order skips nothing of the same subjects', async () => {
    const given = await givenLatest(kind);
    const routes = [route('anyone'), route('other')];
    for (const content of ['a', 'b']) await given.stored({ content }, routes);
    const claimed = await given.claim();
    expect(claimed.map(({ handler, id }) => [handler, id])).toEqual(
      expect.arrayContaining([
        ['anyone', 'd3'],
        ['other', 'd2'],
      ]),
    );
    expect((await rows(given)).filter((row) => row.startsWith('skipped'))).toHaveLength(1);
  });

  test('the lane of a whole handler, which an earlier definition left, has several subjects and skips none', async () => {
    const given = await givenLatest(kind);
    for (const id of ['1', '2'])
      await given.stored({ subject: `company:${id}` }, [route('anyone', { order: 'handler' })]);
    expect(await given.claim()).toHaveLength(1);
    expect(await rows(given)).toEqual(['running', 'pending']);
  });

  test('with versions, the event with the highest one is the newest; an earlier version is stale', async () => {
    const given = await givenLatest(kind);
    const second = await given.arrive('2', { version: '2' });
    await given.arrive('1', { version: '1' });
    expect(contents(await given.claim())).toEqual(['2']);
    expect(await rows(given)).toEqual(['running', 'skipped: stale']);

    await given.arrive('3', { version: '3', subject: 'company:2' });
    const newer = await given.arrive('4', { version: '4', subject: 'company:2' });
    expect(contents(await given.claim())).toEqual(['4']);
    expect((await rows(given)).slice(2)).toEqual([`skipped: superseded by ${newer}`, 'running']);
    expect(second).not.toBe(newer);
  });

  test('an ambiguous event, which may be a late redelivery, skips nothing; a newer one skips it', async () => {
    const given = await givenLatest(kind);
    await given.arrive('a');
    await given.arrive('b');
    expect(await given.accept({ content: 'a' })).toMatchObject({ verdict: 'ambiguous' });

    const [before] = await given.claim();
    expect(before && contents([before])).toEqual(['b']);
    await given.arrive('c');
    if (before !== undefined) await given.succeed(before);

    expect(contents(await given.claim())).toEqual(['c']);
    expect((await rows(given)).map((row) => row.split(':')[0])).toEqual([
      'skipped',
      'succeeded',
      'skipped',
      'running',
    ]);
  });

  test('what has failed and waits is skipped, too, when it is due; the newest begins with its first attempt', async () => {
    const given = await givenLatest(kind);
    await given.arrive('fails');
    const [failing] = await given.claim();
    const now = given.clock.now();
    if (failing !== undefined)
      await given.store.reschedule(failing, { now, dueAt: now + 50, reason: 'status 503' });
    const newest = await given.arrive('newest');
    expect(await given.claimAll()).toMatchObject({ deliveries: [], nextDueAt: now + 50 });

    given.clock.advance(50);

    expect(await given.claim()).toMatchObject([{ attempt: 1, event: { id: newest } }]);
    expect(await rows(given)).toEqual([`skipped: superseded by ${newest}`, 'running']);
    expect(await given.store.attempts(['d1'])).toHaveLength(1);
  });

  test('what a crash interrupted is skipped, and the newest runs', async () => {
    const given = await givenLatest(kind);
    await given.arrive('interrupted');
    await given.claim();
    await given.arrive('newest');
    expect(await given.store.recover()).toBe(1);
    expect(contents(await given.claim())).toEqual(['newest']);
  });

  test('an operator’s replay and retry run, in their places', async () => {
    const given = await givenLatest(kind);
    const { store, clock } = given;
    const now = clock.now();
    const dead = await given.arrive('dead');
    const [failed] = await given.claim();
    if (failed !== undefined)
      await store.complete(failed, { status: 'dead', reason: 'x' }, { now, next: false });
    await given.arrive('skipped');
    const { id: job } = await createReplay(store, { handlers: ['anyone'] }, now);
    const replayed = { route: route('anyone'), events: [Number(dead.split('-')[1])] };
    await store.enqueueReplay(job, [replayed], { cursor: dead, now });
    await given.arrive('newest');
    await store.retryDeliveries(['d1'], now);

    const ran: string[] = [];
    for (let claimed = await given.claim(); claimed.length > 0; claimed = await given.claim())
      for (const delivery of claimed) {
        ran.push(...contents([delivery]));
        await given.succeed(delivery);
      }

    expect(ran).toEqual(['dead', 'dead', 'newest']);
    expect((await rows(given)).map((row) => row.split(':')[0])).toEqual([
      'succeeded',
      'skipped',
      'succeeded',
      'succeeded',
    ]);
    expect(await store.job(job)).toMatchObject({ succeeded: 1 });
  });

  test('a paused or held lane skips nothing until it goes on', async () => {
    const given = await givenLatest(kind);
    const { store, clock } = given;
    await given.arrive('dead');
    const [first] = await given.claim();
    const end = { status: 'dead', reason: 'x', hold: true } as const;
    if (first !== undefined) await store.complete(first, end, { now: clock.now(), next: false });
    for (const content of ['b', 'c']) await given.arrive(content);
    expect(await given.claim()).toEqual([]);
    expect(await rows(given)).toEqual(['dead', 'pending', 'pending']);

    await store.discardDeliveries(['d1'], { reason: 'closed', now: clock.now() });

    expect(contents(await given.claim())).toEqual(['c']);
  });

  test('a claim skips 1,000 at most; the next ones go on, and then the newest runs', async () => {
    const given = await givenLatest(kind);
    const { store, clock } = given;
    const arrivals = Array.from({ length: 2_500 }, (_, at) => given.arrive(String(at)));
    await Promise.all(arrivals);
    await given.arrive('free', { subject: 'company:2' });
    const latest = [{ handler: 'anyone', quietMs: 0, maxWaitMs: 0 }];
    const claim = () => store.claim({ now: clock.now(), limit: 100, handlers: ['anyone'], latest });

    const first = await claim();
    expect(contents(first.deliveries), 'other lanes do not wait').toEqual(['free']);
    expect(first.superseded).toEqual([{ handler: 'anyone', deliveries: 1_000 }]);
    expect(first.nextDueAt).toBe(clock.now());
    const second = await claim();

    expect(contents(second.deliveries)).toEqual(['2499']);
    expect(second.superseded.map(({ deliveries }) => deliveries)).toEqual([1_000, 499]);
    expect((await store.statistics()).byHandler).toMatchObject([{ skipped: 2_499, running: 2, pending: 0 }]);
  });

  test('with a quiet time, the run waits until nothing has come for so long, or until the longest wait', async () => {
    const given = await givenLatest(kind, { quietMs: 100, maxWaitMs: 250 });
    const start = given.clock.now();
    for (const [content, due] of [
      ['a', 100],
      ['b', 190],
      ['c', 250],
    ] as const) {
      await given.arrive(content);
      expect(await given.claimAll()).toMatchObject({ deliveries: [] });
      const later = await given.claimAll();
      expect(later.nextDueAt ?? 0, content).toBeLessThanOrEqual(start + due);
      given.clock.advance(90);
      if (given.clock.now() < start + 200) continue;
    }
    expect(contents(await given.claim()), '20 ms after the longest wait').toEqual(['c']);
    expect(await rows(given)).toHaveLength(3);
  });

  test('a single event runs after its quiet time, and a handler without one does not wait', async () => {
    const given = await givenLatest(kind, { quietMs: 100, maxWaitMs: 1_000 });
    await given.stored({}, [route('anyone'), route('other')]);
    expect((await given.claim()).map(({ handler }) => handler)).toEqual(['other']);
    given.clock.advance(99);
    expect(await given.claim()).toEqual([]);
    given.clock.advance(1);
    expect((await given.claim()).map(({ handler }) => handler)).toEqual(['anyone']);
  });

  test('a clock that went back prolongs no quiet time: what is of the future does not count', async () => {
    const given = await givenLatest(kind, { quietMs: 100, maxWaitMs: 1_000 });
    const receivedAt = given.clock.now() + 3_600_000;
    for (const content of ['of the future', 'too']) await given.arrive(content, { receivedAt });
    expect(contents(await given.claim())).toEqual(['too']);

    await given.arrive('of the future', { subject: 'company:2', receivedAt });
    await given.arrive('of now', { subject: 'company:2' });
    expect(await given.claim()).toEqual([]);
    given.clock.advance(100);
    expect(contents(await given.claim())).toEqual(['of now']);
  });

  test('without versions, one released from quarantine is as old as its arrival: a newer one skips it', async () => {
    const given = await givenLatest(kind);
    const heldAt = given.clock.now();
    given.clock.advance(10);
    const newer = await given.arrive('newer');
    await given.arrive('held', { receivedAt: heldAt, flags: ['released'] });

    expect(contents(await given.claim())).toEqual(['newer']);
    expect(await rows(given)).toEqual(['running', `skipped: superseded by ${newer}`]);

    const subject = 'company:2';
    await given.arrive('older', { subject, receivedAt: heldAt - 1 });
    await given.arrive('held', { subject, receivedAt: heldAt, flags: ['released'] });
    expect(contents(await given.claim())).toEqual(['held']);
  });

  test('without versions, after a clock that went back, the one that was stored last is the newest', async () => {
    const given = await givenLatest(kind);
    await given.arrive('before');
    await given.arrive('after', { receivedAt: given.clock.now() - 3_600_000 });
    expect(contents(await given.claim())).toEqual(['after']);
  });
  test('where each of three is newer than another, after a release and a clock that went back, one of them runs', async () => {
    const given = await givenLatest(kind);
    const at = given.clock.now();
    const events = { before: 0, after: -2, held: -1 };
    for (const [content, ms] of Object.entries(events))
      await given.arrive(content, { receivedAt: at + ms, flags: content === 'held' ? ['released'] : [] });
    expect(contents(await given.claim())).toEqual(['held']);
    expect((await rows(given)).map((row) => row.split(':')[0])).toEqual(['skipped', 'skipped', 'running']);
  });
}
