/** Monitoring with several processes: what is counted, begun or sent once. */
import { expect, test } from 'vitest';
import type { ActivityRecord } from '../../src/store/activity.ts';
import type { MonitoringRecord } from '../../src/store/monitoring.ts';
import type { Store } from '../../src/store/store.ts';
import { drawEventNumbers } from '../../src/store/postgres/events/insert-events.ts';
import { createQueryBuilder } from '../../src/store/postgres/sql/connection.ts';
import { createSession } from '../../src/store/postgres/sql/session.ts';
import { openFixture } from '../conformance/store-fixture.ts';
import { rawClient, setHeartbeatsBack } from './kit/raw-client.ts';
import { postgres } from './kit/postgres-places.ts';

async function openTwo() {
  const fixture = await openFixture(postgres);
  const other = await fixture.openAgain('owner');
  return { ...fixture, other };
}

/** Begins the transaction of another process that has drawn the number of an event, and has not stored it yet. */
async function beginDrawing(store: Store) {
  const client = await rawClient(store);
  await client.query('begin');
  const [number = 0] = await drawEventNumbers(createSession(client, createQueryBuilder()), 1);
  return { client, number: Number(number) };
}

/** Counts what can be counted, and returns the number of events that it counted. */
async function count(store: Store, limit = 1_000): Promise<number> {
  let counted = 0;
  for (;;) {
    const run = await store.uncountedArrivals(limit);
    const isMine = run.arrivals.length > 0 && (await store.recordMonitoring({ record: 'arrivals', ...run }));
    if (isMine) counted += run.arrivals.reduce((sum, { events }) => sum + events, 0);
    if (!run.more) return counted;
  }
}

const eventsOf = async (store: Store) =>
  (await store.monitoring()).received.reduce((sum, { events }) => sum + events, 0);

test('an event that another process commits late, with a lower number, is counted', async () => {
  const { store, other, stored } = await openTwo();
  await stored({ subject: 'company:1' });
  const { client, number } = await beginDrawing(store);
  await client.query(
    `insert into events (id, kind, recognized, subject_id, digest_key, digest, verdict, flags, received_at)
     select $1, kind, recognized, subject_id, 1, 'x', verdict, flags, received_at from events`,
    [number],
  );
  // This one has a higher number, and is committed before.
  await stored({ subject: 'company:2' });

  expect(await count(store)).toBe(1);
  expect(await store.uncountedArrivals(10)).toMatchObject({ arrivals: [], more: false });
  expect(await eventsOf(store)).toBe(2);
  await client.query('commit');

  expect(await count(other)).toBe(2);
  expect(await count(store)).toBe(0);
  expect(await eventsOf(store)).toBe(3);
  expect((await store.hourlyCounts(0)).map(({ events }) => events)).toEqual([3]);
});

test('whoever counts keeps nobody waiting who stores an event', async () => {
  const { store, stored } = await openTwo();
  const { client } = await beginDrawing(store);
  await stored({ subject: 'company:1' });
  const counting = store.uncountedArrivals(10);
  await stored({ subject: 'company:2' });
  await client.query('rollback');
  // Either it saw the end in time, and counts the first, or it counts nothing: never the second without the first.
  const run = await counting;
  expect([0, 2, 3]).toContain(run.through);
  expect(await count(store)).toBe(2);
});

test('a number that was drawn and not used delays nothing, and leaves no event out', async () => {
  const { store, stored } = await openTwo();
  const client = await rawClient(store);
  for (const id of ['1', '2', '3']) {
    await stored({ subject: `company:${id}` });
    await client.query(`select nextval('events_id_seq')`);
  }
  expect(await store.uncountedArrivals(2)).toMatchObject({ after: 0, through: 3, more: true });
  expect(await count(store, 2)).toBe(3);
});

test('two processes that count at once count each event once', async () => {
  const { store, other, accept } = await openTwo();
  const accepting = Promise.all(
    Array.from({ length: 60 }, (_, at) => accept({ subject: `company:${String(at)}` })),
  );
  const counted = [count(store, 7), count(other, 7), count(store, 5), count(other, 5)];
  await accepting;
  const during = (await Promise.all(counted)).reduce((sum, one) => sum + one, 0);
  const after = (await Promise.all([count(store, 7), count(other, 7)])).reduce((sum, one) => sum + one, 0);
  expect(during + after).toBe(60);
  expect(await eventsOf(store)).toBe(60);
  expect((await store.hourlyCounts(0)).reduce((sum, { events }) => sum + events, 0)).toBe(60);
});

test('a breaker is shown while the process lives whose breaker it is', async () => {
  const { store, openAgain } = await openTwo();
  const third = await openAgain('owner');
  const open = (of: Store, until: number, now: number) =>
    of.recordMonitoring({
      record: 'breakers',
      open: [{ handler: 'billing', until, reason: String(now) }],
      now,
    });
  await open(store, 50, 10);
  await open(third, 40, 5);
  // One handler is one row: open since the first breaker, until the last one.
  expect((await store.monitoring()).openBreakers).toEqual([
    { handler: 'billing', since: 5, until: 50, reason: '10' },
  ]);
  await third.recordMonitoring({ record: 'breakers', open: [], now: 20 });
  expect((await store.monitoring()).openBreakers).toMatchObject([{ since: 10 }]);
  await open(third, 40, 21);

  const client = await rawClient(store);
  await setHeartbeatsBack(client, '1 hour');
  expect((await store.monitoring()).openBreakers).toEqual([]);
});

test('a guest has no breakers', async () => {
  const { store, openAgain } = await openTwo();
  const guest = await openAgain('guest');
  const open = [{ handler: 'billing', until: 9, reason: 'down' }];
  expect(await guest.recordMonitoring({ record: 'breakers', open, now: 1 })).toBe(false);
  expect((await store.monitoring()).openBreakers).toEqual([]);
});

const problems = (changes: Partial<Extract<MonitoringRecord, { record: 'problems' }>>): MonitoringRecord => ({
  ...{ record: 'problems', begun: [], ended: [], alerts: [], now: 7 },
  ...changes,
});
const problem = (key: string) => ({ key, beganAt: 5, report: '{}' });

test('a problem that two processes find begins once and ends once, with one alert each', async () => {
  const { store, other } = await openTwo();
  const begin = problems({ begun: [problem('silence')], alerts: ['it began'] });
  const began = await Promise.all([store.recordMonitoring(begin), other.recordMonitoring(begin)]);
  expect(began.toSorted()).toEqual([false, true]);
  expect(await store.monitoring()).toMatchObject({ problems: [{ key: 'silence' }], waitingAlerts: 1 });

  // What one process finds beside it is reported.
  await other.recordMonitoring(
    problems({ begun: [problem('silence'), problem('backlog')], alerts: ['it began', 'another began'] }),
  );
  expect(await store.monitoring()).toMatchObject({ waitingAlerts: 2 });

  const end = problems({ begun: [problem('backlog')], ended: ['silence'], alerts: ['again', 'it ended'] });
  await Promise.all([store.recordMonitoring(end), other.recordMonitoring(end)]);
  expect(await store.monitoring()).toMatchObject({ problems: [{ key: 'backlog' }], waitingAlerts: 3 });
  const sent: string[] = [];
  for (let alert = await store.nextAlert(); alert !== null; alert = await store.nextAlert()) {
    sent.push(alert.body);
    await store.recordMonitoring({ record: 'alert-sent', id: alert.id });
  }
  expect(sent).toEqual(['it began', 'another began', 'it ended']);
});

test('one process sends an alert, and another one when that one has not in time', async () => {
  const { store, other, clock } = await openTwo();
  await store.recordMonitoring(problems({ alerts: ['one', 'two'], now: clock.now() }));
  const first = await store.nextAlert();
  expect(first).toMatchObject({ id: 'a1', dueAt: clock.now() });
  // It stays with whoever took it; another process is told when to ask again.
  expect(await store.nextAlert()).toEqual(first);
  const told = await other.nextAlert();
  expect(told?.id).toBe('a1');
  expect(told?.dueAt).toBeGreaterThan(clock.now() + 20_000);
  expect(told?.dueAt).toBeLessThanOrEqual(clock.now() + 30_000);
  const failed = { record: 'alert-failed', id: 'a1', dueAt: clock.now() + 5, reason: 'down' } as const;
  expect(await other.recordMonitoring(failed)).toBe(false);

  const client = await rawClient(store);
  await client.query("update alerts set taken_until = taken_until - interval '1 minute'");
  expect(await other.nextAlert()).toMatchObject({ id: 'a1', attempts: 0, dueAt: clock.now() });
  expect(await store.recordMonitoring(failed)).toBe(false);
  expect(await other.recordMonitoring(failed)).toBe(true);
  // It waits for everybody, and for nobody in particular.
  expect(await store.nextAlert()).toMatchObject({ id: 'a1', attempts: 1, dueAt: clock.now() + 5 });
  clock.advance(5);
  const both = await Promise.all([store.nextAlert(), other.nextAlert()]);
  expect(both.filter((alert) => alert !== null && alert.dueAt <= clock.now())).toHaveLength(1);
});

test('activity and rejections of two processes add up', async () => {
  const { store, other } = await openTwo();
  const handler = { handler: 'billing', succeeded: 1, failed: 0, dead: 0, skipped: 0, breakerMs: 0 };
  const record: ActivityRecord = {
    ...{ at: 300_000, received: 1, backlog: 4, oldestMs: 3 },
    handlers: [{ ...handler, durations: [[3, 1]] }],
  };
  const hour = { source: 'default', hour: 9, rejections: 2, lastReason: 'mismatch', clockSeconds: null };
  await Promise.all(
    Array.from({ length: 10 }, async (_, at) => {
      const one = at % 2 === 0 ? store : other;
      await one.recordMonitoring({ record: 'activity', ...record });
      await one.recordMonitoring({ record: 'rejections', rejections: [hour, { ...hour, source: 'branch' }] });
    }),
  );
  const client = await rawClient(store);
  const { rows } = await client.query('select durations from handler_activity');
  expect(rows).toEqual([{ durations: '[[3,10]]' }]);
  const { points, handlers } = await store.activity(0, 300_000);
  expect(points).toEqual([{ at: 300_000, received: 10, finished: 10, backlog: 4, oldestMs: 3 }]);
  expect(handlers[0]?.points).toMatchObject([{ succeeded: 10 }]);
  expect((await store.monitoring()).rejections.map(({ rejections }) => rejections)).toEqual([20, 20]);
});
