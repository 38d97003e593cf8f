/** What becomes of the deliveries of a process that dies, freezes, or ends. */
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { rawClient, setHeartbeatsBack } from '../kit/raw-client.ts';
import { claimed, HANDLER, openTwoOwners } from '../kit/two-owners.ts';

test('what a process that has died had begun runs again elsewhere, with its attempt counted', async () => {
  const { first, second, takeOverFrom } = await openTwoOwners();
  await first.accept({ content: 'A' });
  await first.accept({ content: 'B' });
  const [head] = await first.claim();
  expect(await second.claim(), 'one at a time in a lane').toEqual([]);

  await takeOverFrom(first);

  const again = await second.claim();
  expect(again).toMatchObject([{ id: head?.id, attempt: 2 }]);
  expect(await second.store.attempts([head?.id ?? ''])).toMatchObject([
    { outcome: 'interrupted', error: 'the process ended during attempt 1' },
  ]);
});

test('a watchdog keeps the lease of its process, and draws none that is gone', async () => {
  const { first, second, client, takeOverFrom } = await openTwoOwners();
  const [claimedByFirst] = await claimed(first, ['1']);
  const holder = claimedByFirst?.holder ?? 0;
  const heartbeats = async () =>
    (await client.query<{ at: string }>('select seen_at::text as at from leases where holder = $1', [holder]))
      .rows;
  const [before] = await heartbeats();
  await second.store.keepLease(holder);
  const [after] = await heartbeats();
  expect((after?.at ?? '') > (before?.at ?? '')).toBe(true);
  expect(first.store.mayStart(claimedByFirst as never)).toBe(true);

  await takeOverFrom(first);
  await second.store.keepLease(holder);
  expect(await heartbeats()).toEqual([]);
});

test('a lost lease changes nothing any more: not by an outcome, a wait or a release', async () => {
  const { first, second, takeOverFrom } = await openTwoOwners();
  for (const id of ['1', '2', '3', '4']) await first.accept({ subject: `company:${id}` });
  const [done, failed, left, both] = await first.claim();
  if (!done || !failed || !left || !both) throw new Error('expected four deliveries');
  await takeOverFrom(first);
  expect(await second.claim()).toHaveLength(4);
  const now = first.clock.now();
  const before = await second.store.deliveries({}, { order: 'oldest', limit: 9 });

  const notInFlight = { code: 'invalid-argument' };
  await expect(first.succeed(done, true)).rejects.toMatchObject(notInFlight);
  await expect(first.store.succeed([done, both], { now, next: true })).rejects.toMatchObject(notInFlight);
  await expect(first.store.reschedule(failed, { now, dueAt: now + 1, reason: 'x' })).rejects.toMatchObject(
    notInFlight,
  );
  await first.store.release([left], { dueAt: now });

  expect(await second.store.deliveries({}, { order: 'oldest', limit: 9 })).toEqual(before);
});

test('an outcome of before the loss does not end the run that the same process began after it', async () => {
  const { first, second, takeOverFrom, beat } = await openTwoOwners();
  await first.accept({ content: 'A' });
  await first.accept({ content: 'B' });
  const [before] = await first.claim();
  await takeOverFrom(first);
  expect(await first.claim(), 'its lease is gone').toEqual([]);
  await beat(first);
  const [after] = await first.claim({ now: second.clock.now() });
  if (before === undefined || after === undefined) throw new Error('expected a delivery each time');
  expect(after.id).toBe(before.id);

  await expect(first.succeed(before, true)).rejects.toMatchObject({ code: 'invalid-argument' });
  expect(await first.succeed(after, true)).toMatchObject({ attempt: 1 });
});

test('after a freeze nothing that was claimed before may start, prefetched or not', async () => {
  const { first, second, takeOverFrom, beat } = await openTwoOwners();
  for (const id of ['1', '2', '3']) await first.accept({ subject: `company:${id}` });
  const now = first.clock.now();
  const { deliveries, prefetched } = await first.store.claim({
    now,
    limit: 1,
    prefetch: 9,
    handlers: [HANDLER],
  });
  const [claimed] = deliveries;
  if (claimed === undefined) throw new Error('expected a delivery');
  expect([first.store.mayStart(claimed), second.store.mayStart(claimed)]).toEqual([true, false]);

  const taken: number[] = [];
  second.store.onTakeOver((count) => taken.push(count));
  await takeOverFrom(first);
  await beat(first);

  expect(await eventually('the take-over is reported', () => taken.length > 0 && taken)).toEqual([3]);
  expect(first.store.mayStart(claimed), 'the lease is another one').toBe(false);
  const read = await prefetched.next(1);
  expect([read.deliveries.length, read.unread.length, prefetched.left()]).toEqual([0, 2, 0]);
  await first.store.release(read.unread, { dueAt: now });
  expect(await second.claim(), 'the other process has all of them').toHaveLength(3);
});

test('a process learns that others have ended its lease: once, by the number of that lease', async () => {
  const { first, second, takeOverFrom, beat } = await openTwoOwners();
  await first.accept({});
  const [running] = await first.claim();
  if (running === undefined) throw new Error('expected a delivery');
  const lost = { first: [] as number[], second: [] as number[] };
  first.store.onLeaseLost((holder) => lost.first.push(holder));
  second.store.onLeaseLost((holder) => lost.second.push(holder));

  await takeOverFrom(first);
  expect(lost.first, 'it has not asked yet').toEqual([]);
  await beat(first);
  await beat(first);

  expect(lost).toEqual({ first: [running.holder], second: [] });
});

test('a lease that may be lost, by the clocks of its process, is not lost before others have ended it', async () => {
  const { first, client } = await openTwoOwners();
  await first.accept({});
  const [running] = await first.claim();
  if (running === undefined) throw new Error('expected a delivery');
  const lost: number[] = [];
  first.store.onLeaseLost((holder) => lost.push(holder));
  await client.query('begin');
  await client.query('lock table leases in access exclusive mode');
  first.clock.advance(20_000);
  expect(first.store.mayStart(running)).toBe(false);
  await client.query('commit');

  await eventually('a heartbeat came through', () => {
    first.clock.advance(1_500);
    return first.store.mayStart(running);
  });
  expect(lost).toEqual([]);
  expect(await first.succeed(running)).toBeNull();
});

test('the monotonic clock alone tells that a lease may be lost', async () => {
  const { first, client } = await openTwoOwners();
  await first.accept({});
  const [claimed] = await first.claim();
  if (claimed === undefined) throw new Error('expected a delivery');
  // Heartbeats that do not come through.
  await client.query('begin');
  await client.query('lock table leases in access exclusive mode');
  first.clock.advance(5_900);
  expect(first.store.mayStart(claimed)).toBe(true);
  first.clock.advance(200);
  expect(first.store.mayStart(claimed)).toBe(false);
  await client.query('commit');

  await eventually('the heartbeat came through', () => first.store.mayStart(claimed));
});

test('the wall clock alone tells it, too: the monotonic clock stands still while a machine sleeps', async () => {
  const { first } = await openTwoOwners();
  await first.accept({});
  const [claimed] = await first.claim();
  if (claimed === undefined) throw new Error('expected a delivery');
  first.clock.jump(6_100);
  expect(first.store.mayStart(claimed)).toBe(false);
});

test('a process that ends without releasing leaves its deliveries to the others', async () => {
  const { first, second } = await openTwoOwners();
  await first.accept({});
  await first.claim();
  await first.store.close();

  second.clock.advance(2_000);
  const [again] = await eventually('the delivery is claimed again', async () => {
    const found = await second.claim();
    return found.length > 0 && found;
  });
  expect(again).toMatchObject({ attempt: 2 });
});

test('a handler that runs longer than a lease keeps its lane, because heartbeats go on', async () => {
  const { first, second, client } = await openTwoOwners();
  await first.accept({ content: 'A' });
  await first.accept({ content: 'B' });
  const [running] = await first.claim();
  if (running === undefined) throw new Error('expected a delivery');
  for (let lease = 0; lease < 3; lease += 1) {
    // Seven of the eight seconds pass, and both have a heartbeat.
    await setHeartbeatsBack(client, '7 seconds');
    await eventually('both were seen', async () => {
      // Again and again: what follows the heartbeat before may not have ended.
      for (const owner of [first, second]) owner.clock.advance(2_000);
      const { rows } = await client.query<{ late: boolean }>(
        "select bool_or(seen_at < clock_timestamp() - interval '5 seconds') as late from leases",
      );
      return rows[0]?.late === false;
    });
    expect(await second.claim(), 'the lane has a delivery that runs').toEqual([]);
  }

  expect(first.store.mayStart(running)).toBe(true);
  expect(await first.succeed(running, true)).toMatchObject({ attempt: 1 });
});

test('a process that does not know a handler leaves its deliveries to those that do', async () => {
  const { first, second } = await openTwoOwners();
  await first.accept({}, 'new-handler');
  expect(await first.claim()).toEqual([]);
  expect(await second.claim({ handlers: [HANDLER, 'new-handler'] })).toMatchObject([
    { handler: 'new-handler' },
  ]);
});

test('one process leads: the next one, when it ends', async () => {
  const { first, second } = await openTwoOwners();
  expect([first.store.leads(), second.store.leads()]).toEqual([true, false]);
  await first.store.close();

  second.clock.advance(2_000);
  await eventually('the other process leads', () => second.store.leads());
});

test('a pause is acknowledged when all living processes have acknowledged it', async () => {
  const { first, second, takeOverFrom, beat } = await openTwoOwners();
  const scope = { handler: HANDLER, source: null, subject: null };
  const about = { reason: 'repair', pausedBy: 'ana', until: null, now: first.clock.now() };
  const { id } = await first.store.pause(scope, about);
  const acknowledged = async () => (await first.store.pauses()).map((pause) => pause.acknowledgedAt !== null);

  await first.store.acknowledgePauses([id], first.clock.now());
  expect(await acknowledged()).toEqual([false]);
  const changes = await second.store.pauseChanges();
  await takeOverFrom(second);
  expect(await eventually('it is acknowledged', async () => (await acknowledged())[0])).toBe(true);

  await beat(second);
  await eventually(
    'who drew a new lease reads them again',
    async () => (await second.store.pauseChanges()) !== changes,
  );
});

test('a pause that one process stores holds the next claim and the next delivery of a lane in all of them', async () => {
  const { first, second } = await openTwoOwners();
  for (const content of ['A', 'B']) await first.accept({ content });
  await first.accept({ subject: 'company:2' });
  const [running] = await second.claim({ limit: 1 });
  if (running === undefined) throw new Error('expected a delivery');
  const about = { reason: 'repair', pausedBy: 'ana', until: null, now: first.clock.now() };
  const { id } = await first.store.pause({ handler: null, source: 'default', subject: null }, about);

  expect(await second.claim()).toEqual([]);
  expect(await second.succeed(running, true)).toBeNull();
  await first.store.resume([id]);
  expect(await second.claim()).toHaveLength(2);
});

test('the record of a process lives as long as its lease, and comes back with a new one', async () => {
  const { first, second, takeOverFrom, beat } = await openTwoOwners();
  const process = { id: 'one', host: 'h', pid: 1, version: '1', startedAt: 1, handlers: [] };
  await first.store.registerProcess(process, []);
  await second.store.registerProcess({ ...process, id: 'two', startedAt: 2 }, []);
  const listed = async () => (await second.store.processes()).map(({ id }) => id);
  expect(await listed()).toEqual(['two', 'one']);

  await takeOverFrom(first);
  expect(await listed()).toEqual(['two']);
  await beat(first);
  await eventually('it is listed again', async () => (await listed()).includes('one'));
});

test('a jump of the clock of the database takes nothing from a process that is well', async () => {
  const { first, second, client } = await openTwoOwners();
  await first.accept({});
  const [running] = await first.claim();
  if (running === undefined) throw new Error('expected a delivery');
  const taken: number[] = [];
  for (const owner of [first, second]) owner.store.onTakeOver((count) => taken.push(count));
  for (let round = 0; round < 3; round += 1) {
    // A failover to a machine whose clock is an hour ahead.
    await setHeartbeatsBack(client, '1 hour');
    await eventually('both have had a heartbeat', async () => {
      for (const owner of [second, first]) owner.clock.advance(1_500);
      const { rows } = await client.query<{ late: boolean }>(
        "select bool_or(seen_at < clock_timestamp() - interval '1 minute') as late from leases",
      );
      return rows[0]?.late === false;
    });
  }

  expect(taken).toEqual([]);
  expect(await second.claim()).toEqual([]);
  expect(await first.succeed(running)).toBeNull();
});

test('a lease is renewed while what follows a heartbeat waits for a locked lane', async () => {
  const { first, renewLease } = await openTwoOwners();
  const [ending, abandoned] = await claimed(first, ['1', '2']);
  const other = await rawClient(first.store);
  await other.query('begin');
  await other.query("select from subjects where entity = '1' for no key update");
  const ended = first.succeed(ending!);
  // The search for it waits for the outcome that is being written.
  first.store.abandon([abandoned!]);

  for (let beats = 0; beats < 3; beats += 1) await renewLease(first);

  await other.query('commit');
  await ended;
});
