/** Processes tell each other that something was stored, sooner than polling finds it. */
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createNotifications } from '../../../src/store/postgres/database/connections/notifications.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import { manualClock } from '../../../src/testing/manual-clock.ts';
import { route, sampleEvent } from '../../conformance/sample-event.ts';
import { eventually } from '../../support/eventually.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { emptyDatabase } from '../kit/empty-database.ts';
import { postgresWithOwnSessions } from '../kit/postgres-places.ts';
import { addressOf, rawClient } from '../kit/raw-client.ts';
import { HANDLER, openTwoOwners } from '../kit/two-owners.ts';

/** Longer than between two heartbeats, and than between two notifications. */
const STEP_MS = 2_000;

/** Two owners that know of each other; the second one counts what it is told. */
async function openTold() {
  const owners = await openTwoOwners(postgresWithOwnSessions);
  const { first, second, client } = owners;
  const told = { first: 0, second: 0 };
  onTestFinished(first.store.onForeignChange(() => (told.first += 1)));
  onTestFinished(second.store.onForeignChange(() => (told.second += 1)));
  await client.query('listen portaria');
  let sent = 0;
  client.on('notification', () => (sent += 1));
  await eventually('both listen', () => told.first > 0 && told.second > 0);
  await eventually('the first one notifies the other', async () => {
    first.clock.advance(STEP_MS);
    await first.accept({});
    return sent > 0;
  });
  // What follows begins when nothing waits to be sent.
  await eventually('all was sent', async () => {
    const before = sent;
    first.clock.advance(STEP_MS);
    await client.query('select pg_sleep(0.5)');
    return sent === before;
  });
  return { ...owners, told, sent: () => sent };
}

const listeners = `select count(*)::integer as open from pg_stat_activity
  where datname = current_database() and application_name like 'portaria listen %'`;

test('what a process accepts is told to the others, not to itself', async () => {
  const { first, told } = await openTold();
  const before = { ...told };
  await first.accept({ content: 'B' });
  await eventually('the other one is told', () => told.second > before.second);
  expect(told.first).toBe(before.first);
});

test('what is accepted soon after a notification shares the next one', async () => {
  const { first, sent, client } = await openTold();
  const before = sent();
  for (let each = 0; each < 20; each += 1) await first.accept({ subject: `company:${String(each)}` });
  await eventually('one was sent', () => sent() === before + 1);
  first.clock.advance(50);
  await eventually('another one was sent', () => sent() === before + 2);
  first.clock.advance(STEP_MS);
  await client.query('select pg_sleep(0.5)');
  expect(sent()).toBe(before + 2);
});

test('a process that is alone notifies nobody', async () => {
  const place = await postgresWithOwnSessions.place();
  onTestFinished(() => place.remove());
  const store = await place.open('owner', manualClock());
  onTestFinished(() => store.close());
  const client = await rawClient(store);
  let sent = 0;
  client.on('notification', () => (sent += 1));
  await client.query('listen portaria');
  await store.accept(sampleEvent({}), [route(HANDLER)]);
  await client.query('select pg_sleep(0.5)');
  expect(sent).toBe(0);
});

test('what a command stores is told, its last change, too', async () => {
  const { first, sent, told } = await openTold();
  const command = await openPostgresStore({
    ...{ url: addressOf(first.store), role: 'guest', clock: manualClock() },
  });
  const before = { told: told.first, sent: sent() };
  const about = { reason: 'repair', pausedBy: 'ana', until: null, now: 0 };
  for (const handler of [HANDLER, 'other'])
    await command.pause({ handler, source: null, subject: null }, about);
  await command.close();
  await eventually('both were sent', () => sent() === before.sent + 2);
  await eventually('the process was told', () => told.first > before.told);
});

test('a change during a notification is told at the end, by another one', async () => {
  const responses: (() => void)[] = [];
  const notifications = createNotifications({
    ...{ url: null, clock: manualClock(), random: () => 0.5, hasOthers: () => true },
    pool: { query: () => new Promise<void>((resolve) => responses.push(resolve)) } as never,
  });
  const transact = notifications.announcing((work) => work({} as never));
  for (const change of ['first', 'last']) await transact(() => Promise.resolve(change));
  expect(responses).toHaveLength(1);

  const ended = notifications.end();
  responses[0]?.();
  await eventually('the last change is told', () => responses.length === 2);
  responses[1]?.();
  await ended;
});

test('a connection that ends is opened again, and the process looks for what it missed', async () => {
  const { first, second, told, client } = await openTold();
  const before = told.second;
  await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name like 'portaria listen %'`);
  await eventually('both connections are there again', async () => {
    for (const { clock } of [first, second]) clock.advance(STEP_MS);
    const { rows } = await client.query<{ open: number }>(listeners);
    return rows[0]?.open === 2 && told.second > before;
  });
});

test('without a server to listen at, everything else goes on', async () => {
  const sent: string[] = [];
  const clock = manualClock();
  const notifications = createNotifications({
    url: 'postgres://portaria@127.0.0.1:1/portaria',
    pool: { query: (text: string) => Promise.reject(new Error(String(sent.push(text)))) } as never,
    ...{ clock, random: () => 0.5, hasOthers: () => true },
  });
  notifications.onForeignChange(() => undefined);
  const stored = await notifications.announcing((work) => work({} as never))(() => Promise.resolve('stored'));
  await eventually('it waits before it connects again', () => clock.untilNext !== null);
  await notifications.end();

  expect(stored).toBe('stored');
  expect(sent).toHaveLength(1);
});

test('a connection that nothing passes any more is opened again once it does not respond', async () => {
  const url = await emptyDatabase();
  const proxy = await startTcpProxy(url);
  const clock = manualClock();
  const notifications = createNotifications({
    ...{ url: proxy.through(url), pool: { query: pg.Pool.prototype.query }, clock, random: () => 0.5 },
    ...{ hasOthers: () => true, responseTimeoutMs: 100 },
  });
  onTestFinished(() => notifications.end());
  let told = 0;
  notifications.onForeignChange(() => (told += 1));
  await eventually('it listens', () => told === 1);
  proxy.silence();
  await notifications.announcing(async () => undefined as never)(async () => undefined);
  await eventually('it listens again', async () => {
    clock.advance(STEP_MS);
    return told === 2;
  });
});
