/** What goes on in free lanes while another transaction has locked some: that of a process that is frozen, for example. */
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { rawClient, untilWaiting } from '../kit/raw-client.ts';
import { claimed, HANDLER, openTwoOwners, type Owner, type TwoOwners } from '../kit/two-owners.ts';

/** Two owners, and a connection that locks rows until its transaction ends. */
async function openBesideLock() {
  const owners = await openTwoOwners();
  const locking = await rawClient(owners.first.store);
  async function lock(statement: string): Promise<void> {
    await locking.query(`begin; ${statement}`);
  }
  return {
    ...owners,
    locking,
    lock,
    lockSubject: (id: string) => lock(`select from subjects where entity = '${id}' for no key update`),
    unlock: async () => {
      await locking.query('commit');
    },
  };
}

async function running(client: TwoOwners['client']): Promise<readonly string[]> {
  const { rows } = await client.query<{ entity: string }>(
    "select entity from deliveries join subjects on subjects.id = lane where status = 'running' order by entity",
  );
  return rows.map(({ entity }) => entity);
}

test('the deliveries of a process that has died are taken over, except in a locked lane, and there later', async () => {
  const { first, second, client, endLease, renewLease, lockSubject, unlock } = await openBesideLock();
  await claimed(second, ['1', '2', '3', '4']);
  await lockSubject('4');
  await endLease(second);

  await eventually('all but one are taken over', async () => {
    await renewLease(first);
    return (await running(client)).join('') === '4';
  });
  await first.accept({ subject: 'company:3', content: 'B' });
  expect(await first.claim()).toHaveLength(3);

  await unlock();
  await eventually('the last one is taken over', async () => {
    await renewLease(first);
    return (await first.claim()).length === 1;
  });
});

test('a process finds out that another one has died while its own outcomes wait for a locked lane', async () => {
  const { first, second, client, endLease, renewLease, lockSubject, unlock } = await openBesideLock();
  await claimed(second, ['1', '2']);
  const [locked, abandoned] = await claimed(first, ['3', '4']);
  await lockSubject('3');
  // Again and again, as the dispatcher does.
  const repeat = (): Promise<unknown> => first.succeed(locked!).catch(repeat);
  const repeating = repeat();
  first.store.abandon([abandoned!]);

  await endLease(second);
  await eventually('the other one is taken over', async () => {
    await renewLease(first);
    return !(await running(client)).includes('1');
  });

  await unlock();
  await repeating;
});

test('deliveries that nobody runs are released, except in a locked lane, and there later', async () => {
  const { first, client, renewLease, lockSubject, unlock } = await openBesideLock();
  const abandoned = await claimed(first, ['1', '2', '3']);
  await lockSubject('3');
  first.store.abandon(abandoned);

  await renewLease(first);
  await eventually('all but one are released', async () => (await running(client)).join('') === '3');

  await unlock();
  await renewLease(first);
  await eventually('the last one is released', async () => (await running(client)).length === 0);
});

const pauseOf = (id: string) => ({
  handler: null,
  source: 'default',
  subject: { family: 'company', id },
});
const about = ({ clock }: Owner) => ({ reason: 'why', pausedBy: 'me', until: null, now: clock.now() });

test('a paused delivery whose row is locked keeps no other from being claimed', async () => {
  const { first, lock, unlock } = await openBesideLock();
  const paused = Array.from({ length: 30 }, (_, index) => String(index + 1));
  for (const id of [...paused, '31', '32']) await first.accept({ subject: `company:${id}` });
  for (const id of paused) await first.store.pause(pauseOf(id), about(first));
  await lock('select from deliveries where id = 1 for update');

  const probe = { now: first.clock.now(), limit: 1, handlers: [HANDLER], untriedFirst: 'oldest' } as const;
  expect((await first.store.claim(probe)).deliveries).toMatchObject([{ event: { subject: { id: '31' } } }]);
  expect((await first.claim()).map(({ event }) => event.subject.id)).toEqual(['32']);
  expect(await first.claim()).toEqual([]);

  await unlock();
});

test.each([
  ['due deliveries', []],
  ['due deliveries, one of them paused,', ['1']],
])(
  'a claim that finds %s locked says that more is due, so that nobody takes the queue for empty',
  async (_, paused) => {
    const { first, lock, unlock } = await openBesideLock();
    for (const id of ['1', '2']) await first.accept({ subject: `company:${id}` });
    for (const id of paused) await first.store.pause(pauseOf(id), about(first));
    await lock('select from deliveries for update');

    const found = await first.store.claim({ now: first.clock.now(), limit: 1, handlers: [HANDLER] });
    expect(found).toMatchObject({ deliveries: [], nextDueAt: first.clock.now() });

    await unlock();
    expect(await first.claim()).toHaveLength(2 - paused.length);
  },
);

test('when a pause ends, a delivery whose row is locked keeps no other from being claimed', async () => {
  const { first, second, lock, unlock } = await openBesideLock();
  await first.accept({ subject: 'company:1' });
  const { id } = await first.store.pause(pauseOf('1'), about(first));
  expect(await first.claim()).toEqual([]);
  await lock('select from deliveries where id = 1 for update');
  await first.store.resume([id]);
  await first.accept({ subject: 'company:2' });

  expect((await first.claim()).map(({ event }) => event.subject.id)).toEqual(['2']);
  await second.accept({ subject: 'company:3' });
  expect((await second.claim()).map(({ event }) => event.subject.id)).toEqual(['3']);

  await unlock();
  first.clock.advance(1_000);
  expect((await first.claim()).map(({ event }) => event.subject.id)).toEqual(['1']);
});

test.each([
  ['retries', ({ store, clock }: Owner, ids: readonly string[]) => store.retryDeliveries(ids, clock.now())],
  [
    'discards',
    ({ store, clock }: Owner, ids: readonly string[]) =>
      store.discardDeliveries(ids, { reason: 'why', now: clock.now() }),
  ],
])(
  'while an operator %s deliveries of which one is in a locked lane, the lanes of the others go on',
  async (_, change) => {
    const { first, lockSubject, unlock } = await openBesideLock();
    const deliveries = await claimed(first, ['1', '2', '3']);
    for (const delivery of deliveries)
      await first.store.complete(
        delivery,
        { status: 'dead', reason: 'down' },
        { now: first.clock.now(), next: false },
      );
    await lockSubject('3');
    const ids = deliveries.map(({ id }) => id);

    let isDone = false;
    const changing = change(first, ids).finally(() => (isDone = true));
    for (const content of ['B', 'C', 'D']) {
      await first.accept({ subject: 'company:1', content });
      const [next] = await first.claim();
      await first.succeed(next!);
    }
    expect(isDone).toBe(false);

    await unlock();
    expect(await changing).toEqual(ids);
  },
);

test('a webhook of a subject that another transaction is inserting keeps no other waiting', async () => {
  const { first, lock, unlock } = await openBesideLock();
  await lock("insert into subjects (source, family, entity) values ('default', 'company', '9')");
  let isStored = false;
  const waiting = first.accept({ subject: 'company:9', content: 'A' }).then(() => (isStored = true));

  // One shares its transaction, the others come later.
  for (const id of ['1', '2', '3', '4']) await first.accept({ subject: `company:${id}` });
  expect(isStored).toBe(false);

  await unlock();
  expect(await waiting).toBe(true);
});

test('an erasure that gives a subject another id waits for a delivery while others change the pauses', async () => {
  const { first, client, lock, locking, unlock } = await openBesideLock();
  const id = `content-${'0'.repeat(32)}`;
  await first.accept({ subject: `any:${id}` });
  const [delivery] = await first.claim();
  await first.fail(delivery!, 'no such account');
  await first.store.pause({ handler: HANDLER, source: null, subject: { family: 'any', id } }, about(first));
  await first.store.beginErasure({ requestedBy: 'dpo', reason: 'asked', identifiers: [] });
  const [event] = await first.store.contents('event', { after: 0, limit: 1 });
  const texts = { last_error: { before: 'no such account', after: '<erased>' } };
  // As an outcome does, which holds its lane afterwards.
  await lock('select from deliveries for update');

  const erased = first.store.eraseContents([
    {
      place: 'event',
      row: event!.row,
      body: { before: event!.body!, after: new TextEncoder().encode('{}') },
    },
    { place: 'delivery', row: 1, texts },
  ]);
  await untilWaiting(client, 1);
  await locking.query('select from pause_changes for update nowait');
  await unlock();

  expect(await erased).toEqual(['changed', 'changed']);
});

test('the removal of a pause that has ended waits for a pause of the same scope, and has locked nothing of it', async () => {
  const { first, client, lock, locking, unlock } = await openBesideLock();
  const now = first.clock.now();
  await first.store.pause(pauseOf('1'), { ...about(first), until: now + 1 });
  expect(await first.claim()).toEqual([]);
  await lock('update pause_changes set changes = changes + 1');

  const claiming = first.claim({ now: now + 2 });
  await untilWaiting(client, 1);
  await locking.query('select from pauses for update nowait');
  await unlock();

  expect(await claiming).toEqual([]);
  expect(await first.store.pauses()).toEqual([]);
});
