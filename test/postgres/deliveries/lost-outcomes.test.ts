/** Connections that are cut after a commit, before anybody knows of it. */
import { expect, inject, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import type { ClaimedDelivery } from '../../../src/store/lane-queue.ts';
import { fixtureAt, openFixture } from '../../conformance/store-fixture.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { postgres } from '../kit/postgres-places.ts';
import { rawClient } from '../kit/raw-client.ts';

/** Milliseconds after which an owner has had a heartbeat. */
const HEARTBEAT_MS = 2_000;

/** A store whose next commit of dispatching succeeds, and whose connection is cut before the response. */
async function openBehindProxy() {
  const { store: other, place } = await openFixture(postgres);
  const client = await rawClient(other);
  const url = new URL(inject('postgresUrl'));
  url.pathname = new URL(other.location).pathname;
  await other.close();
  const proxy = await startTcpProxy(url.href);
  const fixture = await fixtureAt({
    ...place,
    open: (role, clock) => openPostgresStore({ url: proxy.through(url.href), role, clock }),
  });
  function loseNextCommit(): void {
    let lost = false;
    // After a failure, the store checks whether webhooks can be stored: that commit is another one.
    proxy.onRequest((packet, first) => {
      if (lost || !first.includes('portaria dispatch') || !packet.includes('commit\0')) return 'pass';
      lost = true;
      return 'cut after';
    });
    onTestFinished(() => {
      expect(lost).toBe(true);
    });
  }
  async function running(): Promise<number> {
    const { rows } = await client.query("select from deliveries where status = 'running'");
    return rows.length;
  }
  return { ...fixture, loseNextCommit, running };
}

test('deliveries whose claim was stored and never returned are claimed again, with their attempt uncounted', async () => {
  const { store, clock, stored, claim, claimOne, succeed, loseNextCommit, running } = await openBehindProxy();
  await stored({ content: 'A' });
  const first = await claimOne();
  await stored({ content: 'B', subject: 'company:2' });
  loseNextCommit();

  await expect(claim()).rejects.toMatchObject({ code: 'store-busy' });
  expect(await running()).toBe(2);

  clock.advance(HEARTBEAT_MS);
  await expect.poll(running).toBe(1);
  await expect(claimOne()).resolves.toMatchObject({ attempt: 1 });
  expect(await succeed(first), 'what is known goes on').toBeNull();
  expect(await store.statistics()).toMatchObject({ deliveries: { succeeded: 1, running: 1 } });
});

test('a delivery whose failed attempt and whose next claim both lost their responses is claimed again', async () => {
  const { store, clock, stored, claim, claimOne, loseNextCommit, running } = await openBehindProxy();
  await stored({ content: 'A' });
  const first = await claimOne();
  const failed = { now: clock.now(), dueAt: clock.now(), reason: 'down' };
  loseNextCommit();
  await expect(store.reschedule(first, failed)).rejects.toMatchObject({ code: 'store-busy' });
  await expect(store.reschedule(first, failed)).rejects.toThrow('is not in flight');
  loseNextCommit();
  await expect(claim()).rejects.toMatchObject({ code: 'store-busy' });
  expect(await running()).toBe(1);

  clock.advance(HEARTBEAT_MS);

  await expect.poll(running).toBe(0);
  await expect(claimOne()).resolves.toMatchObject({ id: first.id, attempt: 2 });
});

test('a delivery that follows an outcome whose response is lost is claimed again', async () => {
  const { store, clock, stored, claimOne, succeed, loseNextCommit, running } = await openBehindProxy();
  await stored({ content: 'A' });
  await stored({ content: 'B' });
  const first = await claimOne();
  loseNextCommit();

  await expect(succeed(first, true)).rejects.toMatchObject({ code: 'store-busy' });
  await expect(succeed(first, true)).rejects.toThrow('is not in flight');
  expect(await running()).toBe(1);

  clock.advance(HEARTBEAT_MS);
  await expect.poll(running).toBe(0);
  const second = await claimOne();
  expect(second.event.id).not.toBe(first.event.id);
  await succeed(second);
  expect(await store.statistics()).toMatchObject({ deliveries: { succeeded: 2, pending: 0, running: 0 } });
});

/** A delivery that this process has started again since the response to its first outcome was lost. */
async function startedTwice(
  endFirst: (owner: Awaited<ReturnType<typeof openBehindProxy>>, first: ClaimedDelivery) => Promise<void>,
) {
  const owner = await openBehindProxy();
  await owner.stored({ content: 'A' });
  await owner.stored({ content: 'B' });
  const first = await owner.claimOne();
  owner.loseNextCommit();
  await expect(endFirst(owner, first)).rejects.toMatchObject({ code: 'store-busy' });
  return { ...owner, first, second: await owner.claimOne(), repeat: () => endFirst(owner, first) };
}

test('a failed attempt that is reported again does not end the attempt that this process began meanwhile', async () => {
  const { store, clock, claim, first, second, repeat } = await startedTwice(({ store, clock }, delivery) => {
    const now = clock.now();
    return store.reschedule(delivery, { now, dueAt: now, reason: 'down', durationMs: 1 });
  });

  await expect(repeat()).rejects.toMatchObject({ code: 'invalid-argument' });
  await expect(store.succeed([first], { now: clock.now(), next: true })).rejects.toMatchObject({
    code: 'invalid-argument',
  });

  expect(await claim()).toEqual([]);
  expect((await store.attempts([second.id])).map(({ outcome }) => outcome)).toEqual(['failed']);
  expect(
    await store.complete(second, { status: 'succeeded' }, { now: clock.now(), next: true }),
  ).toMatchObject({
    id: 'd2',
  });
});

test('a release that is repeated does not end the run that this process began meanwhile', async () => {
  const { store, clock, claim, second, repeat } = await startedTwice(({ store, clock }, delivery) =>
    store.release([delivery], { dueAt: clock.now() }),
  );

  await repeat();

  expect(await claim()).toEqual([]);
  expect(
    await store.complete(second, { status: 'succeeded' }, { now: clock.now(), next: true }),
  ).toMatchObject({
    id: 'd2',
  });
});
