/** Erasures and holds beside what other processes do at the same moment. */
import { expect, onTestFinished, test } from 'vitest';
import { CONTENT_LOCK } from '../../src/store/postgres/sql/advisory-locks.ts';
import type { ContentChange, ContentPlace } from '../../src/store/privacy.ts';
import type { Store } from '../../src/store/store.ts';
import { bytes, sampleEvent, sampleRejection } from '../conformance/sample-event.ts';
import { openFixture } from '../conformance/store-fixture.ts';
import type { StoreKind } from '../conformance/store-place.ts';
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts';
import { eventually } from '../support/eventually.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { postgres, postgresWithOwnSessions } from './kit/postgres-places.ts';
import { addressOf, rawClient, untilWaiting } from './kit/raw-client.ts';

const original = bytes('{"type":"company.updated","data":{"id":1,"tax_id":"12345678909"}}');
const erased = bytes('{"type":"company.updated","data":{"id":1,"tax_id":null}}');
const company = { family: 'company', id: '1' };

async function openTwo(kind: StoreKind = postgres) {
  const fixture = await openFixture(kind);
  const other = await fixture.openAgain('owner');
  const client = await rawClient(fixture.store);
  // A transaction sees one state of the other sessions.
  const watcher = await rawClient(fixture.store);
  await fixture.store.beginErasure({ requestedBy: 'dpo', reason: 'asked', identifiers: [] });
  return {
    ...{ ...fixture, other, client },
    waiting: (sessions: number) => untilWaiting(watcher, sessions),
    /** Returns how many sessions wait for one that waits itself. */
    async waitingInLine() {
      const { rows } = await watcher.query<{ sessions: number }>(`
        select count(distinct pid)::integer as sessions from pg_stat_activity, unnest(pg_blocking_pids(pid)) as blocking
        where datname = current_database() and cardinality(pg_blocking_pids(blocking)) > 0`);
      return rows[0]?.sessions;
    },
  };
}

async function contentsOf(store: Store, place: ContentPlace) {
  return store.contents(place, { after: 0, limit: 100 });
}

async function bodyChanges(store: Store, place: 'event' | 'quarantine'): Promise<readonly ContentChange[]> {
  const rows = await contentsOf(store, place);
  return rows.flatMap(({ row, body }) =>
    body === null ? [] : [{ place, row, body: { before: body, after: erased } }],
  );
}

test.each(['after the erasure', 'before the erasure'])(
  'a repeat of the original that comes while another process erases it never brings it back: %s',
  async (order) => {
    const { store, other, client, stored, accept, waiting } = await openTwo();
    const id = await stored({ body: original });
    const changes = await bodyChanges(store, 'event');
    await client.query('begin; select from subjects for update');
    const erase = () => other.eraseContents(changes);
    const repeat = () => accept({ body: original });

    const [first, second] = order === 'after the erasure' ? [erase, repeat] : [repeat, erase];
    const begun: Promise<unknown>[] = [first()];
    await waiting(1);
    begun.push(second());
    await waiting(2);
    await client.query('commit');

    expect(await Promise.all(begun)).toEqual(
      expect.arrayContaining([['changed'], { status: 'duplicate', id }]),
    );
    expect(await contentsOf(store, 'event')).toMatchObject([{ body: erased }]);
    expect(await store.event(id)).toMatchObject({ repeats: 1, flags: ['erased'] });
    expect(await other.accept(sampleEvent({ body: original }), [])).toEqual({ status: 'duplicate', id });
  },
);

test('a webhook of a subject whose id another process erases does not bring the id back', async () => {
  const { store, other, client, stored, accept, waiting } = await openTwo();
  const subject = 'driver:123.456.789-09';
  await stored({ subject });
  const [row] = await contentsOf(store, 'subject');
  const entity = { before: '123.456.789-09', after: '123.456.789-09' };
  await client.query('begin; select from subjects for update');

  const erasing = other.eraseContents([{ place: 'subject', row: row!.row, texts: { entity } }]);
  await waiting(1);
  // The sender repeats what is refused.
  const accepting = accept({ subject, content: 'news' }).catch(() => accept({ subject, content: 'news' }));
  await waiting(2);
  await client.query('commit');

  expect(await erasing).toEqual(['changed']);
  expect(await accepting).toMatchObject({ status: 'stored' });
  const ids = (await contentsOf(store, 'subject')).map(({ id }) => id);
  expect(ids).toEqual([expect.stringMatching(/^driver:erased-[0-9a-f]{32}$/)]);
});

test('a repeat of an entry that another process erases is counted on it', async () => {
  const { store, other, client, waiting } = await openTwo();
  await store.quarantine(sampleRejection({ body: original }));
  const changes = await bodyChanges(store, 'quarantine');
  await client.query('begin; select from quarantine for update');

  const erasing = other.eraseContents(changes);
  await waiting(1);
  const repeating = store.quarantine(sampleRejection({ body: original }));
  await waiting(2);
  await client.query('commit');

  expect(await erasing).toEqual(['changed']);
  expect(await repeating).toMatchObject({ id: 'q1', repeat: true });
  expect(await contentsOf(store, 'quarantine')).toMatchObject([{ body: erased }]);
});

test('two processes that erase the same content count it once', async () => {
  const { store, other, stored } = await openTwo();
  await stored({ body: original });
  const changes = await bodyChanges(store, 'event');

  const outcomes = await Promise.all([store.eraseContents(changes), other.eraseContents(changes)]);

  expect(outcomes.flat().toSorted()).toEqual(['changed', 'outdated']);
  expect((await store.versionOrder({ source: 'default', subject: company })).erased).toBe(1);
});

test('a hold waits for an erasure that has not seen it, and later ones find it', async () => {
  const { store, other, client, stored, waiting, waitingInLine } = await openTwo();
  await stored({ body: original });
  await stored({ body: bytes('{"more":1}'), content: 'more' });
  const [first, second] = await bodyChanges(store, 'event');
  await client.query('begin; select from subjects for update');

  const erasing = other.eraseContents([first!]);
  await waiting(1);
  const holding = store.hold([company], { reason: 'case 1', placedBy: 'ana' });
  await waiting(2);
  expect(await waitingInLine()).toBe(1);
  await client.query('commit');

  expect(await erasing).toEqual(['changed']);
  await holding;
  expect(await other.eraseContents([second!])).toEqual(['held']);
});

test('an erasure waits for a hold that is being placed, and keeps to it', async () => {
  const { store, client, stored, waiting } = await openTwo();
  await stored({ body: original });
  const changes = await bodyChanges(store, 'event');
  await client.query(
    `begin; select pg_advisory_xact_lock_shared(${String(CONTENT_LOCK)}, 0);
     insert into holds values ('company', '1', 'case 1', 'ana', 0)`,
  );

  const erasing = store.eraseContents(changes);
  await waiting(1);
  await client.query('commit');

  expect(await erasing).toEqual(['held']);
  expect(await contentsOf(store, 'event')).toMatchObject([{ body: original }]);
});

test('all processes have one key, whoever draws it', async () => {
  const { store, openAgain } = await openFixture(postgres);
  const other = await openAgain('guest');
  const [one, two] = await Promise.all([store.erasureKey(), other.erasureKey()]);
  expect(one).toEqual(two);
});

test('erases texts with a NUL, which PostgreSQL does not store', async () => {
  const { store } = await openTwo();
  const kind = 'Ana\u0000Silva\u0001';
  await store.quarantine(sampleRejection({ kind }));
  const [entry] = await contentsOf(store, 'quarantine');
  expect(entry?.texts).toMatchObject({ kind });
  const texts = { kind: { before: kind, after: '[erased]\u0000' } };
  expect(await store.eraseContents([{ place: 'quarantine', row: entry!.row, texts }])).toEqual(['changed']);
  expect((await contentsOf(store, 'quarantine'))[0]?.texts).toMatchObject({ kind: '[erased]\u0000' });
});

test('a page of large rows ends early', async () => {
  const { store, stored } = await openTwo();
  const body = new Uint8Array(1_500_000);
  for (const content of ['A', 'B', 'C', 'D']) await stored({ content, body });
  const [first, ...more] = [await contentsOf(store, 'event')];
  expect([first.length, more.length]).toEqual([3, 0]);
  expect(await store.contents('event', { after: first.at(-1)!.row, limit: 100 })).toHaveLength(1);
});

const endErasingSessions = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name like 'portaria erase %'`;

test('a process whose lock is lost learns so, and another one may erase', async () => {
  const { store, other, client } = await openTwo(postgresWithOwnSessions);
  await store.eraseAlone(async ({ signal }) => {
    const lost = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await client.query(endErasingSessions);
    await lost;
    expect(signal.reason).toMatchObject({
      code: 'store-busy',
      message: expect.stringContaining('Start the same erasure again') as string,
    });
    // The server ends a session, with its lock, after it has told the client.
    await eventually('the lock is free', async () => (await store.erasing()) === null);
    expect(await other.eraseAlone(async () => 'erased')).toBe('erased');
  });
  expect(await store.eraseAlone(async () => 'erased')).toBe('erased');
});

test('a process whose lock is lost without a word erases no further row, and stores no receipt', async () => {
  const { store, stored, client, clock } = await openTwo(postgresWithOwnSessions);
  await stored({ body: original });
  const changes = await bodyChanges(store, 'event');
  const proxy = await startTcpProxy(addressOf(store));
  const url = proxy.through(addressOf(store));
  const erasing = await openPostgresStore({ url, role: 'guest', clock });
  onTestFinished(() => erasing.close());
  const request = { requestedBy: 'dpo', reason: 'asked', identifiers: [] };
  const lost = {
    code: 'store-busy',
    message: expect.stringContaining('Start the same erasure again') as string,
  };

  await erasing.eraseAlone(async ({ signal, process: own, since }) => {
    const erasure = await erasing.beginErasure(request);
    const run = { identifiers: [], process: own, startedAt: since };
    await erasing.beginErasureRun(erasure, run);
    expect(await erasing.eraseContents([], { erasure }), 'the lock is held').toEqual([]);

    proxy.silence((last) => last.includes('virtualtransaction'));
    await client.query(endErasingSessions);
    await eventually('the lock is free', async () => (await store.erasing()) === null);
    expect(signal.aborted, 'the connection says nothing').toBe(false);

    const ended = Promise.withResolvers<void>();
    const other = store.eraseAlone(() => ended.promise);
    await eventually('another one erases', async () => (await store.erasing()) !== null);
    await expect(erasing.eraseContents(changes, { erasure })).rejects.toMatchObject(lost);
    ended.resolve();
    await other;
    expect(signal.reason).toMatchObject(lost);
    await expect(erasing.finishErasure(erasure, '{}')).rejects.toMatchObject(lost);
    await expect(erasing.beginErasureRun(erasure, run)).rejects.toMatchObject(lost);
    await expect(erasing.beginErasure(request)).rejects.toMatchObject(lost);
  });

  expect(await contentsOf(store, 'event')).toMatchObject([{ body: original }]);
  expect(await store.erasures()).toMatchObject([{}, { finishedAt: null, receipt: null }]);
  expect(await erasing.eraseAlone(async () => 'erased')).toBe('erased');
});
