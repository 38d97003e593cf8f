/** Jobs and replays with several processes: each item is acted on once, in the order of its lane. */
import { expect, test } from 'vitest';
import type { NewJob } from '../../../src/store/jobs.ts';
import type { Store } from '../../../src/store/store.ts';
import { openFixture } from '../../conformance/store-fixture.ts';
import { rawClient } from '../kit/raw-client.ts';
import { postgres } from '../kit/postgres-places.ts';

/** Two processes, and dead deliveries d1, d2, … of subjects of their own. */
async function withDead(count: number) {
  const fixture = await openFixture(postgres);
  const other = await fixture.openAgain('owner');
  const { store, clock } = fixture;
  for (let number = 1; number <= count; number++)
    await fixture.stored({ subject: `company:${String(number)}` });
  for (const delivery of await fixture.claim())
    await store.complete(delivery, { status: 'dead', reason: 'closed' }, { now: clock.now(), next: false });
  return { ...fixture, other, ids: Array.from({ length: count }, (_, at) => `d${String(at + 1)}`) };
}

const retry = (planned: number, endedUpTo: number, more: Partial<NewJob> = {}): NewJob => ({
  plan: 'plan-1',
  action: 'retry',
  selection: { deliveries: { status: 'dead', endedUpTo } },
  planned,
  staged: false,
  rate: null,
  stopAt: null,
  reason: null,
  requestedBy: 'ana',
  ...more,
});

const statuses = async (store: Store) =>
  (await store.deliveries({}, { order: 'oldest', limit: 100 })).map(({ status }) => status);

test('of a plan that another process is starting, the second waits for the job of the first', async () => {
  const { store, clock } = await withDead(0);
  const client = await rawClient(store);
  await client.query('begin');
  await client.query(
    `insert into jobs (plan, action, selection, planned, staged, requested_by, created_at, state)
     values ('plan-1', 'retry', '{}', 7, 0, 'ben', 1, 'running')`,
  );
  const waiting = store.createJob(retry(1, 5), clock.now());
  await expect.poll(() => waitersOn(client)).toBe(1);
  await client.query('commit');
  expect(await waiting).toMatchObject({ id: 'j1', requestedBy: 'ben', planned: 7 });
});

/** Returns how many connections wait for a lock of this one. */
async function waitersOn(client: Awaited<ReturnType<typeof rawClient>>): Promise<number> {
  const { rows } = await client.query(
    'select pid from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))',
  );
  return rows.length;
}

test('a step waits for another process that acts on the same job, and goes on behind it', async () => {
  const { store, clock, ids } = await withDead(3);
  await store.createJob(retry(3, clock.now()), clock.now());
  const client = await rawClient(store);
  await client.query('begin');
  await client.query('select from jobs where id = 1 for update');
  const step = store.stepJob('j1', { items: ids, now: clock.now() });
  await expect.poll(() => waitersOn(client)).toBe(1);
  await client.query('update jobs set cursor = 2 where id = 1');
  await client.query('commit');
  await step;
  expect(await store.job('j1')).toMatchObject({ acted: 1, cursor: 'd3' });
  expect(await statuses(store)).toEqual(['dead', 'dead', 'pending']);
});

test('a job that another process ends between two steps acts on nothing more', async () => {
  const { store, other, clock, ids } = await withDead(2);
  await store.createJob(retry(2, clock.now()), clock.now());
  const cancel = {
    from: ['running'],
    to: 'cancelled',
    ending: { code: 'cancelled', by: 'ana' },
    now: clock.now(),
  } as const;
  const changed = await Promise.all([store.changeJob('j1', cancel), other.changeJob('j1', cancel)]);
  expect(changed.toSorted()).toEqual([false, true]);
  await store.stepJob('j1', { items: ids, now: clock.now() });
  expect(await statuses(store)).toEqual(['dead', 'dead']);
});

test('a stage that two processes begin at once begins once', async () => {
  const { store, other, clock } = await withDead(0);
  await store.createJob(retry(1, 5, { staged: true }), clock.now());
  const change = { from: ['running'], to: 'running', ending: null, stageSize: 10, ofStage: 1 } as const;
  const begun = [store, other].map((one) => one.changeJob('j1', { ...change, now: clock.now() }));
  expect((await Promise.all(begun)).toSorted()).toEqual([false, true]);
  expect(await store.job('j1')).toMatchObject({ stage: { number: 2, size: 10 } });
});

test('what fails again while a step waits for its lane is left alone', async () => {
  const { store, clock, ids } = await withDead(1);
  await store.createJob(retry(1, clock.now()), clock.now());
  const client = await rawClient(store);
  await client.query('begin');
  await client.query('select from subjects for no key update');
  const step = store.stepJob('j1', { items: ids, now: clock.now() });
  await expect.poll(() => waitersOn(client)).toBe(1);
  // Another process has retried the delivery, which has failed again since.
  await client.query('update deliveries set finished_at = finished_at + 5');
  await client.query('commit');
  await step;
  expect(await store.job('j1')).toMatchObject({ acted: 0, leftAlone: 1 });
  expect(await statuses(store)).toEqual(['dead']);
});

test('results that two processes record at once are counted once', async () => {
  const { store, other, clock, ids, claim, succeed } = await withDead(6);
  await store.createJob(retry(6, clock.now()), clock.now());
  await store.stepJob('j1', { items: ids, now: clock.now() });
  for (const delivery of await claim()) await succeed(delivery);
  await Promise.all([store, other, store, other].map((one) => one.recordJobResults('j1')));
  expect(await store.recordJobResults('j1')).toMatchObject({
    open: 0,
    job: { succeeded: 6, failed: 0, skipped: 0, stage: { ended: 6, failed: 0 } },
  });
});

test('jobs that two processes prune at once are counted once', async () => {
  const { store, other, clock, ids } = await withDead(4);
  const now = clock.now();
  await store.createJob(retry(4, now), now);
  await store.stepJob('j1', { items: ids, now });
  await store.changeJob('j1', { from: ['running'], to: 'finished', ending: null, now });
  const removed = await Promise.all([store.pruneJobs(now + 1, 10), other.pruneJobs(now + 1, 10)]);
  expect(removed.toSorted()).toEqual([0, 5]);
});
