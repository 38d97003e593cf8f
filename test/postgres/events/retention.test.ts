/** Retention beside what other processes do at the same moment. */
import { expect, test } from 'vitest';
import { eventNumber } from '../../../src/handle/fold/event-number.ts';
import { DAY_MS } from '../../../src/kernel/time/durations.ts';
import { CONTENT_LOCK } from '../../../src/store/postgres/sql/advisory-locks.ts';
import { bytes, route, sampleEvent, sampleRejection } from '../../conformance/sample-event.ts';
import { openFixture } from '../../conformance/store-fixture.ts';
import { postgres } from '../kit/postgres-places.ts';
import { rawClient, untilWaiting } from '../kit/raw-client.ts';
import { createReplay } from '../../support/replay-job.ts';

const company = { family: 'company', id: '1' };

async function openTwo() {
  const fixture = await openFixture(postgres);
  const other = await fixture.openAgain('owner');
  const client = await rawClient(fixture.store);
  // A transaction sees one state of the other sessions.
  const watcher = await rawClient(fixture.store);
  const waiting = (sessions: number) => untilWaiting(watcher, sessions);
  const request = (events: readonly number[]) => {
    const now = fixture.clock.now();
    return { events, machines: [], bases: [], before: now, now };
  };
  /** Begins two calls in order, both of which wait for the client, and lets them end. */
  const inOrder = async (lock: string, first: () => Promise<unknown>, second: () => Promise<unknown>) => {
    await client.query(`begin; ${lock}`);
    const begun = [first()];
    await waiting(1);
    begun.push(second());
    await waiting(2);
    await client.query('commit');
    return Promise.allSettled(begun);
  };
  return { ...fixture, other, client, waiting, request, inOrder };
}

const done = (value: unknown) => ({ status: 'fulfilled', value });

test.each(['retry first', 'discard first'])(
  'a dead letter is retried or discarded, and never both: %s',
  async (order) => {
    const { store, other, inOrder, clock, stored, claimOne, request } = await openTwo();
    const id = await stored({ content: 'A' });
    const claimed = await claimOne();
    const dead = { status: 'dead', reason: 'for Ana' } as const;
    await store.complete(claimed, dead, { now: clock.now(), next: false });
    clock.advance(DAY_MS);
    const before = clock.now();
    const retry = () => other.retryDeliveries([claimed.id], before);
    const prune = () => store.pruneDeliveries([1], before);

    const retriesFirst = order === 'retry first';
    const [first, second] = retriesFirst ? [retry, prune] : [prune, retry];
    const results = await inOrder('select from deliveries for update', first, second);

    const [retried, pruned] = retriesFirst ? results : results.toReversed();
    expect(retried).toEqual(done(retriesFirst ? [claimed.id] : []));
    const one = retriesFirst ? 0 : 1;
    expect(pruned).toEqual(done({ deliveries: one, discarded: one }));
    // What was retried waits, so its event keeps its body.
    expect(await store.pruneEvents(request([1]))).toMatchObject({ events: one });
    expect((await other.event(id))?.body === null).toBe(!retriesFirst);
    const { deliveries } = await store.statistics();
    expect(deliveries).toMatchObject({ dead: 0, pending: 1 - one, skipped: one });
  },
);

test('a hold waits for a pruning that has not seen it', async () => {
  const { store, other, inOrder, clock, stored, request } = await openTwo();
  await stored({ content: 'A' }, []);
  clock.advance(DAY_MS);

  // A hold touches no content: that both wait shows that the hold waits for the pruning.
  const [pruned, held] = await inOrder(
    'select from event_contents for update',
    () => store.pruneEvents(request([1])),
    () => other.hold([company], { reason: 'case 1', placedBy: 'ana' }),
  );

  expect(pruned).toMatchObject(done({ events: 1 }));
  expect(held).toMatchObject({ status: 'fulfilled' });
});

test('a pruning waits for a hold that is being placed, and keeps to it', async () => {
  const { store, client, waiting, clock, stored, request } = await openTwo();
  await stored({ content: 'A' }, []);
  clock.advance(DAY_MS);
  await client.query(
    `begin; select pg_advisory_xact_lock_shared(${String(CONTENT_LOCK)}, 0);
     insert into holds values ('company', '1', 'case 1', 'ana', 0)`,
  );

  const pruning = store.pruneEvents(request([1]));
  await waiting(1);
  await client.query('commit');

  expect(await pruning).toEqual({ events: 0, bytes: 0 });
});

test.each(['replay first', 'pruning first'])(
  'an event that is replayed keeps its body, and a pruned one is not replayed: %s',
  async (order) => {
    const { store, other, inOrder, clock, stored, request } = await openTwo();
    const id = await stored({ content: 'A' }, []);
    clock.advance(DAY_MS);
    const now = clock.now();
    const demand = { handlers: ['anyone'] };
    const replay = await createReplay(other, demand, now);
    const groups = [{ route: route('anyone'), events: [eventNumber(id)] }];
    const enqueue = () => other.enqueueReplay(replay.id, groups, { cursor: id, now });
    const prune = () => store.pruneEvents(request([1]));

    const replaysFirst = order === 'replay first';
    // The replay waits for the lane, and the pruning for the content, each with what it has locked before.
    const lock = replaysFirst ? 'select from subjects for update' : 'select from event_contents for update';
    const [first, second] = replaysFirst ? [enqueue, prune] : [prune, enqueue];
    const results = await inOrder(lock, first, second);

    const [, pruned] = replaysFirst ? results : results.toReversed();
    expect(pruned).toMatchObject(done({ events: replaysFirst ? 0 : 1 }));
    expect(await store.job(replay.id)).toMatchObject({ acted: replaysFirst ? 1 : 0 });
  },
);

test.each(['fold first', 'pruning first'])(
  'the state that pruned events leave is that of the revision: %s',
  async (order) => {
    const { store, other, inOrder, clock, stored, request } = await openTwo();
    const lastEventId = await stored({ content: 'A' }, []);
    const commit = { machine: 'm', version: null, lastEventId, anomalies: [], refolded: false, effects: [] };
    await store.commitMachine('default', company, { ...commit, state: 1, revision: 0 }, clock.now());
    clock.advance(DAY_MS);
    const base = { machine: 'm', source: 'default', subject: company, state: 1, through: 1, revision: 1 };
    const prune = () => store.pruneEvents({ ...request([1]), machines: ['m'], bases: [base] });
    const fold = () =>
      other.commitMachine('default', company, { ...commit, state: 2, revision: 1 }, clock.now());

    const foldsFirst = order === 'fold first';
    const [first, second] = foldsFirst ? [fold, prune] : [prune, fold];
    const results = await inOrder('select from subjects for update', first, second);

    const [, pruned] = foldsFirst ? results : results.toReversed();
    expect(pruned).toMatchObject(
      foldsFirst ? { status: 'rejected', reason: { code: 'machine-conflict' } } : done({ events: 1 }),
    );
    const kept = await other.machineBase('m', 'default', company);
    expect(kept).toEqual(foldsFirst ? null : { state: 1, through: 1 });
    expect((await store.event(lastEventId))?.body === null).toBe(!foldsFirst);
  },
);

test('two processes that prune the same rows count them once', async () => {
  const { store, other, clock, stored, request } = await openTwo();
  await stored({ content: 'A' }, []);
  await store.quarantine(sampleRejection({ receivedAt: clock.now() }));
  clock.advance(DAY_MS);
  const before = clock.now();

  const events = await Promise.all([store, other].map((one) => one.pruneEvents(request([1]))));
  const entries = await Promise.all([store, other].map((one) => one.pruneQuarantine([1], before)));

  expect(events.map((pruned) => pruned.events).toSorted()).toEqual([0, 1]);
  expect(entries.toSorted()).toEqual([0, 1]);
  const { retention, quarantined, quarantineBytes } = await store.statistics();
  expect(retention).toMatchObject({ events: 1, quarantine: 1 });
  expect([quarantined, quarantineBytes]).toEqual([0, 0]);
});

test('an entry of the quarantine that comes again while it is pruned stays', async () => {
  const { store, other, inOrder, clock } = await openTwo();
  await store.quarantine(sampleRejection({ receivedAt: clock.now() }));
  clock.advance(DAY_MS);
  const now = clock.now();

  const results = await inOrder(
    'select from quarantine for update',
    () => other.quarantine(sampleRejection({ receivedAt: now })),
    () => store.pruneQuarantine([1], now),
  );

  expect(results).toMatchObject([done({ id: 'q1', repeat: true }), done(0)]);
});

test('an event that another process commits late, with a lower number, is pruned', async () => {
  const { store, client, clock, stored, request } = await openTwo();
  await stored({ content: 'A' }, []);
  await client.query(
    `begin;
     insert into events (kind, recognized, subject_id, digest_key, digest, verdict, flags, received_at)
       select kind, recognized, subject_id, 1, 'x', verdict, flags, received_at from events;
     insert into event_contents select 2, received_at, headers, body from event_contents`,
  );
  await stored({ subject: 'company:2' }, []);
  clock.advance(DAY_MS);
  const page = { before: clock.now(), after: 0, limit: 10 };
  expect(await store.prunableEvents(page)).toMatchObject({ rows: [1, 3] });
  expect(await store.pruneEvents(request([1, 3]))).toMatchObject({ events: 2 });
  await store.recordPruning({ firstBody: 4 });
  await client.query('commit');

  expect(await store.firstBody()).toBe(1);
  expect(await store.prunableEvents({ ...page, after: 1 })).toMatchObject({ rows: [2] });
});

test('days are dropped once nobody uses the table, and are made again for an event of theirs', async () => {
  const { store, other, client, clock, request } = await openTwo();
  const receivedAt = clock.now();
  const copy = (content: string) =>
    other.accept(sampleEvent({ content, receivedAt, body: bytes(content.repeat(10_000)) }), []);
  const days = async () => {
    const found = await client.query("select from pg_inherits where inhparent = 'event_contents'::regclass");
    return found.rowCount;
  };
  await copy('A');
  clock.advance(DAY_MS);
  expect(await days()).toBe(1);
  expect(await store.giveBackSpace(1)).toBe(0);
  await store.pruneEvents(request([1]));

  // Another process is storing an event.
  await client.query('begin; lock table event_contents in row exclusive mode');
  expect(await store.giveBackSpace(1)).toBe(0);
  await client.query('commit');
  const { freeBytes } = await store.statistics();
  expect(await store.giveBackSpace(1)).toBe(freeBytes);
  expect(await store.giveBackSpace(1)).toBe(0);
  expect(await days()).toBe(0);

  // The process that stores knows the day.
  expect(await copy('B')).toMatchObject({ status: 'stored' });
});

test('the day of a held event stays, and those around it are dropped', async () => {
  const { store, client, clock, stored, request } = await openTwo();
  for (const name of ['1', '2', '3']) {
    await stored({ subject: `company:${name}` }, []);
    clock.advance(DAY_MS);
  }
  await store.hold([{ family: 'company', id: '2' }], { reason: 'case 1', placedBy: 'ana' });
  expect(await store.pruneEvents(request([1, 2, 3]))).toMatchObject({ events: 2 });

  expect(await store.giveBackSpace(1)).toBeGreaterThan(0);
  expect(await store.giveBackSpace(1)).toBeGreaterThan(0);
  expect(await store.giveBackSpace(1)).toBe(0);
  expect((await client.query('select event_id from event_contents')).rows).toEqual([{ event_id: '2' }]);
  expect((await store.statistics()).retention).toMatchObject({ events: 2 });
});
