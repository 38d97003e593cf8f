/** A day whose content goes at once, and what stays of it. */
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { prune, type PruneDeps } from '../../../src/operate/change/prune.ts';
import { DAY_MS } from '../../../src/kernel/time/durations.ts';
import { createQueryBuilder } from '../../../src/store/postgres/sql/connection.ts';
import { createSession } from '../../../src/store/postgres/sql/session.ts';
import { drawEventNumbers } from '../../../src/store/postgres/events/insert-events.ts';
import { route, sampleEvent, type EventSketch } from '../../conformance/sample-event.ts';
import { openFixture } from '../../conformance/store-fixture.ts';
import { postgres } from '../kit/postgres-places.ts';
import { rawClient } from '../kit/raw-client.ts';
import { createReplay } from '../../support/replay-job.ts';

const none: readonly never[] = [];

/** Bytes that no compression makes smaller. */
const incompressible = randomBytes(40_000);

/** A store with a day of so many events, each of its own subject, `company:1` and on. */
async function openWithDay(events: number, sketch: EventSketch = {}) {
  const fixture = await openFixture(postgres);
  const { store, clock, stored } = fixture;
  const client = await rawClient(store);
  const receivedAt = clock.now();
  const ids: string[] = [];
  for (let number = 1; number <= events; number += 1)
    ids.push(
      await stored({ ...sketch, subject: `company:${String(number)}`, content: String(number) }, none),
    );
  const count = async (query: string) => (await client.query(query)).rowCount;
  return {
    ...{ ...fixture, client, ids, receivedAt },
    /** Prunes everything from before now, as `serve` does. */
    pruneAll: () => {
      const deps: PruneDeps = { store, machines: [], clock };
      const before = { events: clock.now(), quarantine: null, deliveries: null };
      return prune(deps, before, { step: () => Promise.resolve(true) });
    },
    /** Prunes the first day alone. */
    pruneDay: (after: number | null = null) => {
      const now = clock.now();
      return store.pruneDay?.({ before: now, after, now, step: () => Promise.resolve(true) });
    },
    /** Those that a replay of everything would deliver. */
    replayable: async () => {
      const selection = { filter: {}, succeeded: [], inStatus: [] };
      const pages = await store.replayEvents(selection, { after: null, limit: 1_000 });
      const events = pages.flatMap((page) => page.events).toSorted((one, other) => one - other);
      const { pruned } = await store.countReplayEvents({ ...selection, effects: [] });
      return { events, pruned };
    },
    withBody: async () =>
      (await client.query<{ id: string }>('select event_id as id from event_contents order by 1')).rows.map(
        ({ id }) => Number(id),
      ),
    days: () => count("select from pg_inherits where inhparent = 'event_contents'::regclass"),
    /** Events whose own row says that they are pruned. */
    written: () => count('select from events where pruned_at is not null'),
  };
}

test('a day is pruned at once: no event is written, and its partition is dropped', async () => {
  const { store, clock, pruneAll, withBody, days, written, ids, receivedAt } = await openWithDay(30, {
    body: incompressible,
  });
  clock.advance(2 * DAY_MS);
  const { bytes } = await store.totals();

  const pruned = await pruneAll();

  expect(pruned).toMatchObject({ events: 30, waiting: 0, held: 0 });
  expect(pruned.givenBack).toBeGreaterThan(1_200_000);
  expect([await withBody(), await days(), await written()]).toEqual([[], 0, 0]);
  // Autovacuum may write its maps meanwhile.
  expect(bytes - (await store.totals()).bytes).toBeGreaterThan(600_000);
  expect(await store.event(ids[4] ?? '')).toMatchObject({
    ...{ verdict: 'new', receivedAt, headers: {}, body: null, prunedAt: clock.now() },
  });
  expect((await store.statistics()).retention).toMatchObject({
    ...{ events: 30, bytes: pruned.bytes, oldestBodyAt: null },
  });
  expect(await pruneAll()).toMatchObject({ events: 0 });
});

test('the bytes are those that a step-by-step run would count', async () => {
  const one = await openWithDay(12);
  const other = await openWithDay(12);
  for (const { clock } of [one, other]) clock.advance(2 * DAY_MS);
  const before = other.clock.now();
  const { rows } = await other.store.prunableEvents({ before, after: 0, limit: 100 });
  const stepwise = await other.store.pruneEvents({
    events: rows,
    machines: [],
    bases: [],
    before,
    now: before,
  });
  expect(await one.pruneDay()).toMatchObject(stepwise);
});

test('repeats of its events are known, and replays leave them out and count them', async () => {
  const { store, clock, accept, stored, pruneDay, ids } = await openWithDay(3);
  clock.advance(2 * DAY_MS);
  await pruneDay();
  await stored({ subject: 'company:1', content: 'new' }, none);

  expect(await accept({ subject: 'company:2', content: '2' })).toEqual({ status: 'duplicate', id: ids[1] });
  const selection = { filter: {}, succeeded: [], inStatus: [] };
  const counted = await store.countReplayEvents({ ...selection, effects: [] });
  expect(counted).toMatchObject({ groups: [{ events: 1 }], subjects: 1, pruned: 3 });
  const pages = await store.replayEvents(selection, { after: null, limit: 10 });
  expect(pages.flatMap(({ events }) => events)).toEqual([4]);
  const now = clock.now();
  const demand = { handlers: ['anyone'] };
  const replay = await createReplay(store, demand, now);
  const deliveries = [{ route: route('anyone'), events: [1, 4] }];
  await store.enqueueReplay(replay.id, deliveries, { cursor: '4', now });
  expect(await store.job(replay.id)).toMatchObject({ acted: 1, succeeded: 0 });
});

test('its events keep their places in the histories of their subjects', async () => {
  const { store, clock, stored, pruneDay } = await openWithDay(2);
  await stored({ subject: 'company:1', content: 'second' }, none);
  clock.advance(2 * DAY_MS);
  await pruneDay();
  await stored({ subject: 'company:1', content: 'third' }, none);

  const subject = { family: 'company', id: '1' };
  const order = await store.versionOrder({ source: 'default', subject });
  expect([[...order.events], order.prunedThrough]).toEqual([[1, 3, 4], 2]);
});

test('what waits, what is held and what a machine has folded stays, with its body', async () => {
  const { store, clock, stored, claimOne, pruneDay, withBody, written, replayable, client } =
    await openWithDay(37);
  await stored({ subject: 'company:waiting', content: 'w' }, [route('late')]);
  const dead = await stored({ subject: 'company:dead', content: 'd' }, [route('anyone')]);
  await store.complete(
    await claimOne(),
    { status: 'dead', reason: 'odd' },
    { now: clock.now(), next: false },
  );
  await store.hold([{ family: 'company', id: '5' }], { reason: 'case 1', placedBy: 'ana' });
  const state = { machine: 'm', version: null, lastEventId: dead, anomalies: [], refolded: false };
  await store.commitMachine(
    'default',
    { family: 'company', id: '9' },
    { ...state, effects: [], state: 1, revision: 0 },
    clock.now(),
  );
  clock.advance(2 * DAY_MS);
  await client.query('vacuum analyze');

  // A tenth of 39 events is 3.
  expect(await pruneDay(), 'too many stay').toMatchObject({ events: 0 });
  expect(await withBody()).toHaveLength(39);
  await stored({ subject: 'company:more', receivedAt: clock.now() - 2 * DAY_MS }, none);
  expect(await pruneDay()).toMatchObject({ events: 36 });

  expect(await withBody()).toEqual([5, 9, 38, 39]);
  expect(await written()).toBe(0);
  const { deliveries } = await store.claim({ handlers: ['late'], limit: 1, now: clock.now() });
  expect(deliveries.map(({ event }) => event.subject.id)).toEqual(['waiting']);
  expect((await store.event('39'))?.prunedAt).toBeNull();
  expect((await store.event('36'))?.prunedAt).toBe(clock.now());
  expect(await replayable()).toEqual({ events: [5, 9, 38, 39], pruned: 36 });
  const history = await store.versionOrder({ source: 'default', subject: { family: 'company', id: '5' } });
  expect(history.prunedThrough).toBe(0);
});

test('an event that stayed, and is pruned later, is pruned, and forgotten with the table of its day', async () => {
  const { store, clock, stored, pruneAll, pruneDay, replayable, client } = await openWithDay(19);
  const subject = { family: 'company', id: '5' };
  await store.hold([subject], { reason: 'case 1', placedBy: 'ana' });
  clock.advance(2 * DAY_MS);
  await stored({ subject: 'company:new' }, none);
  await pruneDay();
  expect(await replayable()).toEqual({ events: [5, 20], pruned: 18 });
  await store.removeHolds([subject]);

  clock.advance(1);
  expect(await pruneAll()).toMatchObject({ events: 2 });

  expect(await replayable()).toEqual({ events: [], pruned: 20 });
  expect((await client.query('select from kept_events')).rowCount).toBe(0);
});

test('failed attempts go with their events', async () => {
  const { store, clock, stored, claimOne, pruneDay } = await openWithDay(11);
  await stored({ subject: 'company:tried', content: 't' }, [route('anyone')]);
  const now = clock.now();
  const first = await claimOne();
  await store.reschedule(first, { now, dueAt: now, reason: 'for Ana' });
  const again = await claimOne();
  await store.complete(again, { status: 'succeeded' }, { now, next: false });
  expect(await store.attempts([first.id])).toHaveLength(1);
  clock.advance(2 * DAY_MS);

  expect(await pruneDay()).toMatchObject({ events: 12 });
  expect(await store.attempts([first.id])).toEqual([]);
});

test('an event that is imported into a pruned day has its body, and the others stay pruned', async () => {
  const { store, clock, pruneAll, pruneDay, withBody, replayable, ids, receivedAt } = await openWithDay(2);
  clock.advance(2 * DAY_MS);
  await pruneAll();

  const event = sampleEvent({ subject: 'company:1', content: 'imported', receivedAt });
  const imported = await store.accept(event, none, { copied: true });
  expect(imported).toMatchObject({ status: 'stored' });

  const id = 'id' in imported ? imported.id : '';
  expect(await store.event(id)).toMatchObject({ prunedAt: null });
  expect((await store.event(id))?.body).not.toBeNull();
  expect((await store.event(ids[0] ?? ''))?.prunedAt).toBe(clock.now());
  const number = Number(id.split('-').at(-1));
  expect(await replayable()).toEqual({ events: [number], pruned: 2 });
  clock.advance(DAY_MS);
  expect(await pruneDay()).toMatchObject({ events: 1 });
  expect(await withBody()).toEqual([]);
  expect(await replayable()).toEqual({ events: [], pruned: 3 });
  expect((await store.event(ids[0] ?? ''))?.prunedAt).toBe(clock.now());
});

test('a day stays while an import with a lower number is about to store an event of it', async () => {
  const { client, clock, stored, pruneDay, replayable, receivedAt } = await openWithDay(1);
  await client.query('begin');
  const { id } = await importing(client);
  await stored({ subject: 'company:2', receivedAt }, none);
  clock.advance(2 * DAY_MS);

  expect(await pruneDay()).toMatchObject({ events: 0 });

  await client.query(`
    insert into events (id, kind, recognized, subject_id, digest_key, digest, verdict, flags, received_at)
      select ${id}, kind, recognized, subject_id, 1, 'x', verdict, flags, received_at from events where id = 1;
    insert into event_contents select ${id}, received_at, headers, body from event_contents where event_id = 1;
    commit`);
  expect(await replayable()).toEqual({ events: [1, 2, 3], pruned: 0 });
  expect(await pruneDay()).toMatchObject({ events: 3 });
});

/** Draws the number of an event in the transaction of a client, as every process does. */
async function importing(client: pg.Client): Promise<{ readonly id: string }> {
  const session = createSession(client, createQueryBuilder());
  const [id] = await drawEventNumbers(session, 1);
  return { id: String(id) };
}

test('a younger day stays, and days are gone through in order', async () => {
  const { clock, stored, pruneDay, withBody } = await openWithDay(1);
  const first = Math.floor(clock.now() / DAY_MS);
  for (let day = 0; day < 2; day += 1) {
    clock.advance(DAY_MS);
    await stored({ subject: `company:of${String(day)}` }, none);
  }

  expect(await pruneDay()).toMatchObject({ day: first, events: 1 });
  expect(await pruneDay(first)).toMatchObject({ day: first + 1, events: 1 });
  expect(await pruneDay(first + 1), 'it is not over').toBeNull();
  expect(await withBody()).toEqual([3]);
});

test('while another transaction reads the day it stays, and webhooks are accepted meanwhile', async () => {
  const { clock, client, pruneDay, stored, withBody } = await openWithDay(2);
  clock.advance(2 * DAY_MS);
  await stored({ subject: 'company:today' }, none);
  await client.query('begin; select from event_contents where event_id = 1');
  const attempt = pruneDay();
  await stored({ subject: 'company:meanwhile' }, none);

  expect(await attempt).toMatchObject({ events: 0 });
  await client.query('commit');
  expect(await pruneDay()).toMatchObject({ events: 2 });
  expect(await withBody()).toEqual([3, 4]);
});

/** Locks the first day, as emptying it does until its commit. */
async function lockFirstDay(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'event_contents'::regclass order by 1",
  );
  await client.query(`begin; lock table only ${rows[0]?.name ?? ''} in access exclusive mode`);
}

test('accepting waits for no day that is being emptied', async () => {
  const { clock, client, stored } = await openWithDay(2);
  clock.advance(2 * DAY_MS);
  await stored({ subject: 'company:today' }, none);
  await lockFirstDay(client);

  expect(await stored({ subject: 'company:meanwhile' }, none)).toMatch(/-4$/u);
  await client.query('commit');
});

test('a claim waits for no day that is being emptied', async () => {
  const { store, clock, client, stored } = await openWithDay(2);
  clock.advance(2 * DAY_MS);
  await stored({ subject: 'company:today' }, [route('anyone')]);
  await lockFirstDay(client);

  const { deliveries } = await store.claim({ now: clock.now(), limit: 1, handlers: ['anyone'] });

  expect(deliveries.map(({ event }) => event.subject.id)).toEqual(['today']);
  await client.query('commit');
});
