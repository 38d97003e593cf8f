/** Several processes that accept into one database at once. */
import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { isTransient, storeError } from '../../../src/store/postgres/database/connections/store-error.ts';
import { HANDLER_LANE_LOCK } from '../../../src/store/postgres/sql/advisory-locks.ts';
import { lockSubjects, subjectKey } from '../../../src/store/postgres/events/subjects.ts';
import type { Acceptance } from '../../../src/store/inbox.ts';
import {
  ACCEPTING_SETTINGS,
  createTransact,
  type Transact,
} from '../../../src/store/postgres/database/connections/transaction.ts';
import { createQueryBuilder } from '../../../src/store/postgres/sql/connection.ts';
import { mergeCounts } from '../../../src/store/postgres/statistics/merge-counts.ts';
import type { Store } from '../../../src/store/store.ts';
import {
  bytes,
  route,
  sampleEvent,
  sampleRejection,
  type EventSketch,
} from '../../conformance/sample-event.ts';
import type { StoreKind } from '../../conformance/store-place.ts';
import { openFixture } from '../../conformance/store-fixture.ts';
import { postgres, postgresWithOwnSessions } from '../kit/postgres-places.ts';
import { rawClient, untilWaiting } from '../kit/raw-client.ts';
import { eventually } from '../../support/eventually.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const routes = [route('anyone')];
const oldestFirst = { order: 'oldest', limit: 1_000 } as const;

/** Opens one database twice, as two processes do. */
async function openTwice(kind: StoreKind = postgres) {
  const fixture = await openFixture(kind);
  return {
    one: fixture.store,
    other: await fixture.openAgain('owner'),
    client: await rawClient(fixture.store),
  };
}

function accept(store: Store, sketch: EventSketch): Promise<Acceptance> {
  return store.accept(sampleEvent(sketch), routes);
}

const statusOf = (one: Acceptance) => (one.status === 'stored' ? one.verdict : one.status);

const arrival = fc.record({
  content: fc.constantFrom('a', 'b', 'c'),
  version: fc.constantFrom(null, '1', '2'),
  messageId: fc.option(fc.constantFrom('m1', 'm2', 'm3'), { nil: undefined }),
  subject: fc.constantFrom('company:1', 'company:2'),
  byOther: fc.boolean(),
});

test('events that two processes take at once are decided as if one had come after the other', async () => {
  const { one, other, client } = await openTwice();
  const alone = await openTwice();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(arrival, { maxLength: 20 }), async (arrivals) => {
      const source = `run-${String((run += 1))}`;
      const sketches = arrivals.map(({ byOther: _, messageId, ...sketch }) => ({
        ...sketch,
        source,
        ...(messageId !== undefined && { messageId }),
      }));
      const answers = await Promise.all(
        sketches.map((sketch, at) => accept(arrivals[at]?.byOther === true ? other : one, sketch)),
      );

      const events = await one.events({ source }, oldestFirst);
      const deliveries = await client.query<{ event_id: string }>(
        `select event_id from deliveries join events on events.id = event_id
         join subjects on subjects.id = subject_id where source = $1 order by deliveries.id`,
        [source],
      );
      expect(deliveries.rows).toHaveLength(events.length);
      // In the order of their numbers, the stored events get the same verdicts one after the other.
      const indexOf = new Map(answers.map((answer, at) => [answer.status === 'stored' ? answer.id : '', at]));
      for (const event of events) {
        const sketch = sketches[indexOf.get(event.id) ?? -1];
        if (sketch === undefined) throw new Error('an event that nobody sent');
        const again = await accept(alone.one, sketch);
        // A known version of other content is decided by what came before, in both.
        expect(again).toMatchObject({ status: 'stored', verdict: event.verdict });
      }
      // What was not stored is counted on an event that is.
      const repeats = events.reduce((sum, { repeats: count }) => sum + count, 0);
      expect(repeats).toBe(arrivals.length - events.length);
    }),
    { numRuns: propertyRuns(60) },
  );
});

test('in a lane, deliveries are numbered in the order of their commits', async () => {
  const { one, other, client } = await openTwice();
  const sends = Array.from({ length: 200 }, (_, at) =>
    accept(at % 2 === 0 ? one : other, { content: String(at) }),
  );
  const seen: string[][] = [];
  while ((seen.at(-1)?.length ?? 0) < sends.length) {
    const { rows } = await client.query<{ id: string }>('select id from deliveries order by id');
    seen.push(rows.map(({ id }) => id));
  }
  await Promise.all(sends);

  // What appears later comes after all that was there before.
  for (const [at, ids] of seen.slice(1).entries()) {
    const before = seen[at] ?? [];
    expect(ids.slice(0, before.length)).toEqual(before);
  }
  expect(new Set(seen.map(({ length }) => length)).size).toBeGreaterThan(1);
});

test('a transaction that is frozen holds up its own subject, and no other one', async () => {
  const { one, client } = await openTwice();
  await accept(one, { subject: 'company:frozen', content: 'A' });
  await accept(one, { subject: 'company:known', content: 'A' });
  await client.query('begin');
  await client.query("select from subjects where entity = 'frozen' for no key update");
  let isStored = false;
  const held = accept(one, { subject: 'company:frozen', content: 'B' }).then((answer) => {
    isStored = true;
    return answer;
  });

  const others = ['known', 'new', 'newer'].map((id) =>
    accept(one, { subject: `company:${id}`, content: 'B' }),
  );
  expect((await Promise.all(others)).map(statusOf)).toEqual(['new', 'new', 'new']);
  for (let at = 0; at < 20; at += 1)
    expect(await accept(one, { subject: 'company:known', content: String(at) })).toMatchObject({
      verdict: 'new',
    });
  expect(isStored).toBe(false);

  await client.query('rollback');
  expect(await held).toMatchObject({ verdict: 'new' });
});

test('a release that two processes begin at once stores one event', async () => {
  const { one, other } = await openTwice();
  for (let at = 1; at <= 10; at += 1) {
    const { id } = await one.quarantine(sampleRejection({ body: bytes(String(at)) }));
    const release = (store: Store) =>
      store.accept(sampleEvent({ subject: `company:${String(at)}` }), routes, { releases: id });

    const answers = await Promise.all([release(one), release(other)]);

    expect(answers.map(statusOf).toSorted()).toEqual(['duplicate', 'new']);
    expect(new Set(answers.map(({ id: event }) => event)).size).toBe(1);
  }
  expect(await other.statistics()).toMatchObject({ events: 10, repeats: 0, quarantined: 0 });
});

test('a partition that retention has dropped is made again', async () => {
  const { one, client } = await openTwice();
  const receivedAt = Date.UTC(2001, 1, 3);
  await accept(one, { content: 'A', receivedAt });
  await client.query('drop table event_contents_2001_02_03');

  const stored = await accept(one, { content: 'B', receivedAt });

  expect((await one.event(stored.id))?.body).not.toBeNull();
});

test('an event that cannot be stored fails alone', async () => {
  const { one } = await openTwice();
  // A handler's name of this length fits no index.
  const unfit = { handler: randomBytes(4_000).toString('hex'), order: 'subject', stale: false } as const;

  const answers = await Promise.allSettled([
    accept(one, { subject: 'company:1' }),
    one.accept(sampleEvent({ subject: 'company:3' }), [unfit]),
    accept(one, { subject: 'company:2' }),
  ]);

  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await one.statistics()).toMatchObject({ events: 2, subjects: 2 });
});

test('a server that takes no writes makes the store unhealthy, until it takes them again', async () => {
  const { one, client } = await openTwice(postgresWithOwnSessions);
  const setReadOnly = async (value: string) => {
    await client.query(`do $$ begin
      execute format('alter database %I set default_transaction_read_only = ${value}', current_database()); end $$`);
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`);
  };
  await setReadOnly('on');
  try {
    await expect
      .poll(() => accept(one, { content: 'A' }).catch((error: unknown) => error))
      .toMatchObject({ code: 'store-read-only' });
    expect(one.healthy()).toBe(false);
  } finally {
    await client.query('set default_transaction_read_only = off');
    await setReadOnly('off');
  }

  await expect.poll(() => one.healthy()).toBe(true);
  expect(await accept(one, { content: 'A' })).toMatchObject({ verdict: 'new' });
});

test('counts of kinds that nobody knows are bounded across processes', async () => {
  const { one, other, client } = await openTwice();
  await client.query("insert into counted_kinds select n, 'known.' || n from generate_series(1, 990) as n");

  const arriving = Array.from({ length: 40 }, (_, at) =>
    accept(at % 2 === 0 ? one : other, { kind: `made.up.${String(at)}`, recognized: false }),
  );
  await Promise.all(arriving);

  const { byKind, otherKinds, unrecognized } = await one.statistics();
  expect(byKind).toHaveLength(10);
  expect(otherKinds?.events).toBe(30);
  expect(unrecognized).toBe(40);
});

/** Runs transactions on a store's database, two at a time. */
function transactOn({ location }: Store): Transact {
  const url = new URL(inject('postgresUrl'));
  url.pathname = new URL(location).pathname;
  const pool = new pg.Pool({ connectionString: url.href, max: 2 });
  onTestFinished(() => pool.end());
  return createTransact(pool, { builder: createQueryBuilder(), location: '', settings: ACCEPTING_SETTINGS });
}

test('merging counts changes no statistics, and leaves few rows', async () => {
  const { one, other, client } = await openTwice();
  for (let at = 0; at < 30; at += 1) await accept(one, { content: String(at % 20) });
  await one.quarantine(sampleRejection());
  const before = await one.statistics();
  const transact = transactOn(one);

  await Promise.all([mergeCounts(transact), mergeCounts(transact), accept(other, { content: 'more' })]);

  const { events, repeats, subjects, quarantined, deliveries } = await other.statistics();
  expect({ events, repeats, subjects, quarantined, deliveries }).toEqual({
    ...{ events: before.events + 1, repeats: before.repeats, subjects: 1, quarantined: 1 },
    deliveries: { ...before.deliveries, pending: before.deliveries.pending + 1 },
  });
  const { rows } = await client.query<{ rows: string }>('select count(*) as rows from event_counts');
  expect(Number(rows[0]?.rows)).toBeLessThanOrEqual(3);
});

test('a transaction that meets a subject under two names, and locks it under neither, runs again', async () => {
  // An erasure commits between two statements: neither finds the subject.
  const session = { rows: async () => [], first: async () => undefined, run: async () => 0 };
  const keyed = { digest: (digest: Uint8Array) => digest, entity: (entity: string) => entity };
  const named = { source: 'default', subject: { family: 'company', id: '1' }, formerId: null, version: null };

  const error: unknown = await lockSubjects(session, new Map([['one', named]]), keyed, true).catch(
    (rejected: unknown) => rejected,
  );

  expect(isTransient(error)).toBe(true);
  expect(storeError(error, 'here')).toMatchObject({ code: 'store-busy' });
});

test('transactions that lock the same subjects, known and new ones, never deadlock', async () => {
  const { store } = await openFixture(postgres);
  const transact = transactOn(store);
  const keyed = { digest: (digest: Uint8Array) => digest, entity: (entity: string) => entity };
  // New in every other round. Enough that the statements of two transactions overlap.
  const subjectsOf = (round: number) =>
    Array.from({ length: 300 }, (_, at) => {
      const id = `${String(Math.floor(round / 2))}-${String(at)}`;
      const named = { source: 'default', subject: { family: 'company', id } };
      return [subjectKey(named), { ...named, formerId: null, version: null }] as const;
    });
  let runs = 0;
  const lock = (named: ReturnType<typeof subjectsOf>) =>
    transact(async ({ session }) => {
      runs += 1;
      return (await lockSubjects(session, new Map(named), keyed, true)).size;
    });

  for (let round = 0; round < 20; round += 1) {
    const named = subjectsOf(round);
    expect(await Promise.all([lock(named), lock(named.toReversed())])).toEqual([300, 300]);
  }

  // PostgreSQL ends one of two that wait for each other, and it would have run again.
  expect(runs).toBe(40);
});

test('a webhook that waits too long for a lock is refused, and not stored once it gets the lock', async () => {
  const { store, clock } = await openFixture(postgres);
  const client = await rawClient(store);
  await client.query('begin; lock table subjects, quarantine in access exclusive mode');
  const event = store.accept(sampleEvent({}), routes);
  const rejected = store.quarantine(sampleRejection());
  // A transaction sees the sessions as they were when it first looked.
  await untilWaiting(await rawClient(store), 2);
  clock.advance(9_500);

  const refused = { code: 'store-busy', message: expect.stringContaining('for 9 s') as string };
  await expect(event).rejects.toMatchObject(refused);
  await expect(rejected).rejects.toMatchObject(refused);

  await client.query('commit');
  // The sender may have repeated it elsewhere, and later events of its subject may have followed.
  expect(await store.accept(sampleEvent({}), routes)).toMatchObject({ status: 'stored' });
  expect(await store.quarantine(sampleRejection())).toMatchObject({ stored: true, repeat: true });
});

test('webhooks that wait for a subject hold no other subject meanwhile', async () => {
  const { one, other, client } = await openTwice();
  const accept = (store: Store, subject: string, content: string) =>
    store.accept(sampleEvent({ subject: `company:${subject}`, content }), routes);
  const subjects = Array.from({ length: 10 }, (_, at) => String(at));
  for (const subject of subjects) await accept(one, subject, 'A');
  const locking = await rawClient(one);
  await client.query("begin; select from subjects where entity = '9' for no key update");
  await locking.query("begin; select from subjects where entity <> '9' for no key update");
  let stored = 0;
  const all = Promise.all(subjects.map((id) => accept(one, id, 'B').then(() => (stored += 1))));
  await untilWaiting(await rawClient(one), 1);

  await locking.query('commit');
  expect(await accept(other, '0', 'C')).toMatchObject({ status: 'stored' });
  await eventually('all but one are stored', () => stored === 9);

  await client.query('commit');
  await all;
});

test('a webhook that waits for a handler that runs one event at a time keeps no other waiting', async () => {
  const { one, client } = await openTwice();
  const inOrder = [route('one-by-one', { order: 'handler' })];
  await client.query('begin');
  await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [HANDLER_LANE_LOCK, 'one-by-one']);
  let isStored = false;
  const waiting = one.accept(sampleEvent({ subject: 'company:1', content: 'A' }), inOrder);
  void waiting.then(() => (isStored = true));
  const behind = one.accept(sampleEvent({ subject: 'company:1', content: 'B' }), routes);

  const others = ['2', '3', '4'].map((id) => one.accept(sampleEvent({ subject: `company:${id}` }), routes));
  expect(await Promise.all(others)).toMatchObject(others.map(() => ({ status: 'stored' })));

  expect(isStored).toBe(false);
  await client.query('commit');
  const inOrderOfArrival = (await Promise.all([waiting, behind])).map(({ id }) => id);
  const events = (await one.events({}, oldestFirst)).filter(({ subject }) => subject.id === '1');
  expect(events.map(({ id }) => id)).toEqual(inOrderOfArrival);
});

test('a subject whose first event waits for a handler that runs one event at a time is not there before its event', async () => {
  const { one, client } = await openTwice();
  const inOrder = [route('one-by-one', { order: 'handler' })];
  await client.query('begin');
  await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [HANDLER_LANE_LOCK, 'one-by-one']);
  const waiting = one.accept(sampleEvent({ subject: 'company:1' }), inOrder);
  const watching = await rawClient(one);
  await untilWaiting(watching, 1);

  expect((await watching.query('select entity from subjects')).rows).toEqual([]);
  await client.query('commit');

  await waiting;
  expect((await one.statistics()).subjects).toBe(1);
});
