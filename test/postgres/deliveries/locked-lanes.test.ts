/** Outcomes of deliveries whose subjects another transaction has locked: that of a process that is frozen, for example. */
import { expect, test } from 'vitest';
import type { ClaimedDelivery } from '../../../src/store/lane-queue.ts';
import { eventually } from '../../support/eventually.ts';
import { claimed, openTwoOwners, type Owner, type TwoOwners } from '../kit/two-owners.ts';

/** More than a pool has connections. */
const LOCKED = 9;

/** Claims a delivery of each of some subjects, of which another transaction locks the first ones. */
async function claimLocked({ first, client }: TwoOwners, count: number, lockedCount = LOCKED) {
  const deliveries = await claimed(
    first,
    Array.from({ length: count }, (_, at) => String(at)),
  );
  await client.query('begin');
  await client.query('select from subjects where entity = any($1) for no key update', [
    deliveries.slice(0, lockedCount).map(({ event }) => event.subject.id),
  ]);
  return { locked: deliveries.slice(0, lockedCount), free: deliveries.slice(lockedCount) };
}

const die = ({ store, clock }: Owner, delivery: ClaimedDelivery) =>
  store.complete(delivery, { status: 'dead', reason: 'down' }, { now: clock.now(), next: false });

const succeed = ({ store, clock }: Owner, deliveries: readonly ClaimedDelivery[]) =>
  store.succeed(deliveries, { now: clock.now(), next: true });

const release = ({ store, clock }: Owner, deliveries: readonly ClaimedDelivery[]) =>
  store.release(deliveries, { dueAt: clock.now() + 60_000 });

test.each([
  { outcome: 'dead', end: die },
  { outcome: 'succeeded', end: (owner: Owner, one: ClaimedDelivery) => succeed(owner, [one]) },
  { outcome: 'pending', end: (owner: Owner, one: ClaimedDelivery) => release(owner, [one]) },
])('outcomes that wait for locked subjects delay no others: $outcome', async ({ outcome, end }) => {
  const owners = await openTwoOwners();
  const { first, client } = owners;
  const { locked, free } = await claimLocked(owners, LOCKED + 4);
  const [dead, succeeded, failed, released] = free;

  const waiting = Promise.all(locked.map((delivery) => end(first, delivery)));
  await die(first, dead!);
  await succeed(first, [succeeded!]);
  await first.fail(failed!);
  await release(first, [released!]);
  await first.accept({ subject: 'company:99' });
  expect(await first.claim()).toHaveLength(1);

  const { deliveries } = await first.store.statistics();
  expect(deliveries).toMatchObject({ running: LOCKED + 1, dead: 1, succeeded: 1, pending: 2 });
  await client.query('commit');
  await waiting;
  const after = (await first.store.statistics()).deliveries;
  expect(after).toMatchObject({ running: 1, [outcome]: LOCKED + (outcome === 'pending' ? 2 : 1) });
});

test('successes of which one is of a locked subject are not recorded together', async () => {
  const owners = await openTwoOwners();
  const { first, client } = owners;
  const { locked, free } = await claimLocked(owners, LOCKED + 3);

  await expect(succeed(first, [locked[0]!, ...free])).rejects.toMatchObject({ code: 'lane-locked' });
  expect((await first.store.statistics()).deliveries).toMatchObject({ succeeded: 0, running: LOCKED + 3 });

  const waiting = succeed(first, [locked[0]!]);
  await succeed(first, free);
  expect((await first.store.statistics()).deliveries).toMatchObject({ succeeded: 3, running: LOCKED });
  await client.query('commit');
  await waiting;
});

test('more outcomes of locked subjects than there are connections several times over delay no others', async () => {
  const owners = await openTwoOwners();
  const { first, client } = owners;
  const { locked, free } = await claimLocked(owners, 31, 30);

  const waiting = Promise.all(locked.map((delivery) => die(first, delivery)));
  await die(first, free[0]!);
  await first.accept({ subject: 'company:999' });
  expect(await first.claim()).toHaveLength(1);

  expect((await first.store.statistics()).deliveries).toMatchObject({ dead: 1, running: 31 });
  await client.query('commit');
  await waiting;
});

test('an outcome whose subject stays locked is refused, for its caller to repeat', async () => {
  const owners = await openTwoOwners();
  const { first, client } = owners;
  const { locked } = await claimLocked(owners, LOCKED);
  const [one] = locked;

  let error: unknown;
  const waiting = succeed(first, [one!]).catch((reason: unknown) => (error = reason));
  await eventually('the outcome is refused', () => {
    first.clock.advance(1_000);
    return error !== undefined;
  });

  await waiting;
  expect(error).toMatchObject({
    code: 'store-busy',
    message: expect.stringContaining('for a lock of another transaction'),
  });
  await client.query('commit');
  expect(await succeed(first, [one!])).toEqual([]);
});
