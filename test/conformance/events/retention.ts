import { expect, test } from 'vitest';
import type { PruneEvents } from '../../../src/store/retention.ts';
import type { Store } from '../../../src/store/store.ts';
import { seededRandom } from '../../../src/kernel/random.ts';
import { DAY_MS } from '../../../src/kernel/time/durations.ts';
import { openFixture, type StoreFixture } from '../store-fixture.ts';
import { bytes, route, sampleEvent, sampleRejection } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';
import { createReplay } from '../../support/replay-job.ts';

const company = { family: 'company', id: '1' };
const none: readonly never[] = [];

/** Old content is pruned in steps, and what is left decides as before. */
export function retentionRules(kind: StoreKind): void {
  test('a pruned event keeps its row, and loses its body and headers', async () => {
    const fixture = await openFixture(kind);
    const id = await fixture.stored({ content: 'A', version: '1', messageId: 'm1' }, none);
    fixture.clock.advance(DAY_MS);

    expect(await pruneAll(fixture)).toMatchObject({ events: 1 });

    expect(await fixture.store.event(id)).toMatchObject({
      id,
      kind: 'company.updated',
      subject: company,
      version: '1',
      verdict: 'new',
      messageId: 'm1',
      body: null,
      headers: {},
      prunedAt: fixture.clock.now(),
    });
    expect(await fixture.store.storedEvents([id])).toEqual([]);
    expect(await fixture.store.statistics()).toMatchObject({
      events: 1,
      retention: { events: 1, oldestBodyAt: null },
    });
  });

  test('younger events stay', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ content: 'A', version: '1' }, none);
    fixture.clock.advance(DAY_MS);
    const young = await fixture.stored({ content: 'B', version: '2' }, none);
    const now = fixture.clock.now();

    const page = await fixture.store.prunableEvents({ before: now, after: 0, limit: 10 });
    // A store that keeps content by days does not look at younger days.
    const firstKept = fixture.store.pruneDay === undefined ? 2 : null;
    expect(page).toMatchObject({ rows: [1], folded: [], waiting: 0, firstKept, next: null });
    // Also when they are asked for.
    await fixture.store.pruneEvents(request(fixture, { events: [1, 2], before: now }));

    expect((await fixture.store.event(young))?.body).not.toBeNull();
    expect((await fixture.store.statistics()).retention).toMatchObject({ events: 1, oldestBodyAt: now });
  });

  test('repeats of a pruned event are still known, by content and by message id', async () => {
    const fixture = await openFixture(kind);
    const one = await fixture.stored({ content: 'A', version: '1' }, none);
    const two = await fixture.stored({ content: 'B', version: '2', messageId: 'm2' }, none);
    fixture.clock.advance(DAY_MS);
    await pruneAll(fixture);

    expect(await fixture.accept({ content: 'A', version: '1' })).toEqual({ status: 'duplicate', id: one });
    expect(await fixture.accept({ content: 'B', version: '2', messageId: 'm2' })).toEqual({
      status: 'duplicate',
      id: two,
    });
    expect(await fixture.accept({ content: 'C', messageId: 'm2' })).toMatchObject({
      status: 'conflict',
      id: two,
    });
    expect(await fixture.accept({ content: 'Z', version: '0' })).toMatchObject({ verdict: 'stale' });
  });

  test('an imported copy of a pruned event is a duplicate and is not counted', async () => {
    const fixture = await openFixture(kind);
    // Without a version, content that returns is otherwise a new, ambiguous event.
    const event = sampleEvent({ content: 'A', receivedAt: fixture.clock.now() });
    await fixture.store.accept(event, none);
    await fixture.stored({ content: 'B' }, none);
    fixture.clock.advance(DAY_MS);
    await pruneAll(fixture);

    const copy = await fixture.store.accept(event, none, { copied: true });

    expect(copy).toEqual({ status: 'duplicate', id: expect.stringMatching(/-1$/) });
    expect(await fixture.store.statistics()).toMatchObject({ events: 2, repeats: 0 });
  });

  test.each(['pending', 'running', 'retried', 'dead'] as const)(
    'an event with a %s delivery is not pruned',
    async (status) => {
      const fixture = await openFixture(kind);
      const id = await fixture.stored({ content: 'A', version: '1' });
      const now = fixture.clock.now();
      if (status !== 'pending') {
        const delivery = await fixture.claimOne();
        if (status === 'retried')
          await fixture.store.reschedule(delivery, { now, dueAt: now + 1, reason: 'busy' });
        if (status === 'dead')
          await fixture.store.complete(delivery, { status: 'dead', reason: 'odd' }, { now, next: false });
      }
      fixture.clock.advance(DAY_MS);

      const before = fixture.clock.now();
      const page = await fixture.store.prunableEvents({ before, after: 0, limit: 10 });
      expect(page).toMatchObject({ rows: [], waiting: 1, firstKept: 1 });
      const pruned = await fixture.store.pruneEvents(request(fixture, { events: [1], before }));

      expect(pruned).toEqual({ events: 0, bytes: 0 });
      expect((await fixture.store.event(id))?.body).not.toBeNull();
    },
  );

  test('an old dead letter is discarded with its error, and then its event can be pruned', async () => {
    const fixture = await openFixture(kind);
    const id = await fixture.stored({ content: 'A', version: '1' });
    const at = { now: fixture.clock.now(), next: false };
    await fixture.store.complete(await fixture.claimOne(), { status: 'dead', reason: 'for Ana' }, at);
    fixture.clock.advance(DAY_MS);
    const before = fixture.clock.now();

    const { rows } = await fixture.store.prunableDeliveries({ before, after: 0, limit: 10 });
    expect(await fixture.store.pruneDeliveries(rows, before)).toEqual({ deliveries: 1, discarded: 1 });

    const [delivery] = await fixture.store.deliveries({ eventId: id }, { order: 'oldest', limit: 1 });
    expect(delivery).toMatchObject({
      status: 'skipped',
      lastError: 'discarded: a dead letter older than the retention of deliveries',
    });
    expect(await fixture.store.statistics()).toMatchObject({
      deliveries: { dead: 0, skipped: 1 },
      retention: { deliveries: 1, discarded: 1 },
    });
    expect(await fixture.store.retryDeliveries([delivery?.id ?? ''], before)).toEqual([]);
    expect(await fixture.store.prunableDeliveries({ before, after: 0, limit: 10 })).toMatchObject({
      rows: [],
    });
    expect(await pruneAll(fixture)).toMatchObject({ events: 1 });
  });

  test('finished deliveries lose their errors; unfinished and younger ones keep them', async () => {
    const fixture = await openFixture(kind);
    for (const content of ['A', 'B', 'C']) await fixture.stored({ subject: `company:${content}`, content });
    const deliveries = await fixture.claim();
    const end = { status: 'skipped', reason: 'not for Ana' } as const;
    const start = fixture.clock.now();
    await fixture.store.complete(deliveries[0]!, end, { now: start, next: false });
    await fixture.store.reschedule(deliveries[1]!, { now: start, dueAt: start, reason: 'busy' });
    fixture.clock.advance(DAY_MS);
    const before = fixture.clock.now();
    await fixture.store.complete(deliveries[2]!, end, { now: before, next: false });

    // Also when they are asked for.
    await fixture.store.pruneDeliveries([1, 2, 3], before);

    const list = await fixture.store.deliveries({}, { order: 'oldest', limit: 3 });
    expect(list.map(({ status, lastError }) => [status, lastError])).toEqual([
      ['skipped', null],
      ['pending', 'busy'],
      ['skipped', 'not for Ana'],
    ]);
  });

  test('quarantine entries that came last before the time go, and are not counted as dropped', async () => {
    const fixture = await openFixture(kind);
    const at = (content: string) =>
      sampleRejection({ body: bytes(content), receivedAt: fixture.clock.now() });
    for (const content of ['held', 'repeated', 'released']) await fixture.store.quarantine(at(content));
    await fixture.store.accept(sampleEvent(), [], { releases: 'q3' });
    fixture.clock.advance(DAY_MS);
    const before = fixture.clock.now();
    await fixture.store.quarantine(at('repeated'));
    await fixture.store.quarantine(at('young'));

    const page = await fixture.store.prunableQuarantine({ before, after: 0, limit: 10 });
    expect(page).toMatchObject({ rows: [1, 3], next: null });
    expect(await fixture.store.pruneQuarantine([1, 2, 3, 4], before)).toBe(2);

    const left = await fixture.store.quarantined({}, { order: 'oldest', limit: 10 });
    expect(left.map(({ id }) => id)).toEqual(['q2', 'q4']);
    expect(await fixture.store.droppedFromQuarantine(['q1', 'q3'])).toEqual(['q1', 'q3']);
    expect(await fixture.store.statistics()).toMatchObject({
      quarantined: 2,
      quarantineDropped: { verified: 0, unverified: 0 },
      retention: { quarantine: 2 },
    });
  });

  test('walks all rows in pages', async () => {
    const fixture = await openFixture(kind);
    for (const content of ['A', 'B', 'C'])
      await fixture.stored({ subject: `company:${content}`, content }, none);
    fixture.clock.advance(DAY_MS);
    const page = (after: number) =>
      fixture.store.prunableEvents({ before: fixture.clock.now(), after, limit: 2 });

    expect(await page(0)).toMatchObject({ rows: [1, 2], next: 2 });
    expect(await page(2)).toMatchObject({ rows: [3], next: null });
    expect(await page(3)).toMatchObject({ rows: [], next: null });
  });

  test('a run starts at the first event with a body, and its times are recorded', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ content: 'A', version: '1' }, none);
    await fixture.stored({ content: 'B', version: '2' }, none);
    expect(await fixture.store.firstBody()).toBe(1);

    fixture.clock.advance(DAY_MS);
    await fixture.store.pruneEvents(request(fixture, { events: [1] }));
    await fixture.store.recordPruning({ lastRunAt: 5, nextRunAt: 9, firstBody: 2 });
    await fixture.store.recordPruning({ lastRunAt: 6, nextRunAt: null });

    expect(await fixture.store.firstBody()).toBe(fixture.store.pruneDay === undefined ? 2 : 1);
    expect((await fixture.store.statistics()).retention).toMatchObject({ lastRunAt: 6, nextRunAt: null });
  });

  test('frees the space of short bodies too', async () => {
    const fixture = await openFixture(kind);
    const body = bytes('x'.repeat(1_200));
    const events = Array.from({ length: 300 }, (_, index) => {
      const subject = `company:${String(index % 40)}`;
      return fixture.accept({ subject, content: String(index), version: String(index).padStart(4), body });
    });
    await Promise.all(events);
    for (let left = 1; left > 0;) {
      const claimed = await fixture.claim();
      await fixture.store.succeed(claimed, { now: fixture.clock.now(), next: false });
      left = claimed.length;
    }
    fixture.clock.advance(DAY_MS);

    expect(await pruneAll(fixture)).toMatchObject({ events: 300 });

    expect((await fixture.store.statistics()).freeBytes).toBeGreaterThan(250_000);
    expect(await fixture.store.deliveries({}, { order: 'oldest', limit: 1_000 })).toHaveLength(300);
  });

  test('gives no space back when there is none, and most of it in steps', async () => {
    const fixture = await openFixture(kind);
    expect(await fixture.store.giveBackSpace(1_000_000)).toBe(0);

    // A store may compress bodies.
    const random = seededRandom(1);
    const body = Uint8Array.from({ length: 100_000 }, () => Math.floor(random() * 256));
    for (let index = 0; index < 40; index += 1)
      await fixture.stored({ subject: `company:${String(index)}`, content: String(index), body }, none);
    fixture.clock.advance(DAY_MS);
    expect(await fixture.store.giveBackSpace(1_000_000)).toBe(0);
    await pruneAll(fixture);

    const { freeBytes } = await fixture.store.statistics();
    expect(freeBytes).toBeGreaterThan(3_000_000);
    let given = 0;
    for (let step = 1; step > 0; given += step) step = await fixture.store.giveBackSpace(1_000_000);
    expect(given).toBeGreaterThan(1_900_000);
    expect((await fixture.store.statistics()).freeBytes).toBeLessThanOrEqual(freeBytes - given + 4_096);
  });

  replayRules(kind);
}

function replayRules(kind: StoreKind): void {
  test('a replay leaves pruned events out and counts them', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ subject: 'company:1', content: 'A' }, none);
    fixture.clock.advance(DAY_MS);
    await pruneAll(fixture);
    await fixture.stored({ subject: 'company:2', content: 'B' }, none);
    const selection = { filter: {}, succeeded: [], inStatus: [] };

    const counted = await fixture.store.countReplayEvents({ ...selection, effects: [] });
    expect(counted).toMatchObject({ groups: [{ events: 1 }], subjects: 1, pruned: 1 });
    const pages = await fixture.store.replayEvents(selection, { after: null, limit: 10 });
    expect(pages.flatMap(({ events }) => events)).toEqual([2]);

    const now = fixture.clock.now();
    const replay = await createReplay(fixture.store, { handlers: ['anyone'] }, now);
    // One that was pruned since the page was read.
    const deliveries = [{ route: route('anyone'), events: [1, 2] }];
    await fixture.store.enqueueReplay(replay.id, deliveries, { cursor: '2', now });
    expect(await fixture.store.job(replay.id)).toMatchObject({ acted: 1, succeeded: 0 });
  });
}

/** A request to prune events of subjects without a machine. */
export function request(fixture: StoreFixture, more: Partial<PruneEvents>): PruneEvents {
  const now = fixture.clock.now();
  return { events: [], machines: [], bases: [], before: now, now, ...more };
}

/** Prunes all events received before now of subjects without a machine. */
async function pruneAll(fixture: { readonly store: Store; readonly clock: StoreFixture['clock'] }) {
  const now = fixture.clock.now();
  const { rows } = await fixture.store.prunableEvents({ before: now, after: 0, limit: 1_000 });
  return fixture.store.pruneEvents({ events: rows, machines: [], bases: [], before: now, now });
}
