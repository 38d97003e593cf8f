/** Processes tell each other that something was stored, sooner than polling finds it. */
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createNotifications } from '../../../src/store/postgres/database/connections/notifications.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import { manualClock } from '../../../src/testing/manual-clock.ts';
import { eventually } from '../../support/eventually.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { emptyDatabase } from '../kit/empty-database.ts';
import { postgresWithOwnSessions } from '../kit/postgres-places.ts';
import { addressOf } from '../kit/raw-client.ts';
import { HANDLER, openTwoOwners } from '../kit/two-owners.ts';

/** Longer than between two heartbeats, and than between two notifications. */
const STEP_MS = 2_000;

/** Two owners that know of each other and count what they are told, and the connections of which each notification is. */
async function openTold() {
  const owners = await openTwoOwners(postgresWithOwnSessions);
  const { first, second, client } = owners;
  const told = { first: 0, second: 0 };
  onTestFinished(first.store.onForeignChange(() => (told.first += 1)));
  onTestFinished(second.store.onForeignChange(() => (told.second += 1)));
  await client.query('listen portaria');
  const senders: number[] = [];
  client.on('notification', ({ processId }) => senders.push(processId));
  await eventually('both listen', () => told.first > 0 && told.second > 0);
  await eventually('the first one notifies the other', async () => {
    first.clock.advance(STEP_MS);
    await first.accept({});
    return senders.length > 0;
  });
  return { ...owners, told, senders };
}

/** Notifications of one process, each sent until the test responds to it. */
function withoutServer(hasOthers: boolean) {
  const clock = manualClock();
  const responses: (() => void)[] = [];
  const pool = { query: () => new Promise<void>((resolve) => responses.push(resolve)) } as never;
  const notifications = createNotifications({
    ...{ url: null, clock, pool, random: () => 0.5, hasOthers: () => hasOthers },
  });
  const change = notifications.announcing((work) => work({} as never));
  return { clock, responses, change: () => change(() => Promise.resolve()), end: notifications.end };
}

const listeners = `select count(*)::integer as open from pg_stat_activity
  where datname = current_database() and application_name like 'portaria listen %'`;

test('what a process accepts is told to the others, not to itself', async () => {
  const { first, told } = await openTold();
  const before = { ...told };
  await first.accept({ content: 'B' });
  await eventually('the other one is told', () => {
    first.clock.advance(STEP_MS);
    return told.second > before.second;
  });
  expect(told.first).toBe(before.first);
});

test('what is stored soon after a notification shares the next one', async () => {
  const { clock, responses, change, end } = withoutServer(true);
  for (let each = 0; each < 20; each += 1) await change();
  expect(responses).toHaveLength(1);
  responses[0]?.();
  await eventually('the next one waits', () => clock.untilNext === 50);
  clock.advance(50);
  expect(responses).toHaveLength(2);
  responses[1]?.();
  await end();
  expect(responses).toHaveLength(2);
});

test('a process that is alone notifies nobody', async () => {
  const { responses, change, end } = withoutServer(false);
  await change();
  await end();
  expect(responses).toEqual([]);
});

test('what a command stores is told, its last change, too', async () => {
  const { first, senders, told } = await openTold();
  const known = new Set(senders);
  const command = await openPostgresStore({
    ...{ url: addressOf(first.store), role: 'guest', clock: manualClock() },
  });
  const before = told.first;
  const about = { reason: 'repair', pausedBy: 'ana', until: null, now: 0 };
  for (const handler of [HANDLER, 'other'])
    await command.pause({ handler, source: null, subject: null }, about);
  await command.close();
  await eventually('both were sent', () => senders.filter((sender) => !known.has(sender)).length === 2);
  await eventually('the process was told', () => told.first > before);
});

test('a change during a notification is told at the end, by another one', async () => {
  const { responses, change, end } = withoutServer(true);
  for (const _ of ['first', 'last']) await change();
  expect(responses).toHaveLength(1);

  const ended = end();
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
