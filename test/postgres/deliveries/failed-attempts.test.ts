/** Attempts that fail while others do share a transaction, and none of them waits for another one's lane. */
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ClaimedDelivery } from '../../../src/store/lane-queue.ts';
import { MAX_GROUPS } from '../../../src/store/shared/failures/failure-group.ts';
import { FAILURE_GROUPS_LOCK, HANDLER_LANE_LOCK } from '../../../src/store/postgres/sql/advisory-locks.ts';
import { route, sampleEvent } from '../../conformance/sample-event.ts';
import { eventually } from '../../support/eventually.ts';
import { letters } from '../../support/webhooks/letters.ts';
import { rawClient, untilWaiting } from '../kit/raw-client.ts';
import { claimed, HANDLER, openTwoOwners, type Owner, type TwoOwners } from '../kit/two-owners.ts';
import { watchStatements } from '../kit/watch-statements.ts';

const BY_HANDLER = 'one-by-one';
const OTHER_HANDLER = 'another';

/** The names of subjects. */
const subjects = (count: number, from = 0): readonly string[] =>
  Array.from({ length: count }, (_, at) => String(from + at));

/**
 * Fails a delivery that needs what a statement locks, and then others, which are stored before it. It is stored once the
 * lock has ended.
 */
async function failWhileLocked(
  { first, client }: TwoOwners,
  lock: readonly [statement: string, values: unknown[]],
  waiting: ClaimedDelivery | undefined,
  others: readonly ClaimedDelivery[],
): Promise<void> {
  await client.query('begin');
  await client.query(...lock);
  let isStored = false;

  const stored = first.fail(waiting!).then(() => (isStored = true));
  await Promise.all(others.map((delivery) => first.fail(delivery)));

  expect(isStored).toBe(false);
  await client.query('commit');
  await stored;
}

/** Locks a handler for a purpose. */
const lockOf = (purpose: number, handler: string): [string, unknown[]] => [
  'select pg_advisory_xact_lock($1, hashtext($2))',
  [purpose, handler],
];

test('those that fail together are one commit', async () => {
  const { first } = await openTwoOwners();
  const deliveries = await claimed(first, subjects(50));
  const statements = watchStatements();

  await Promise.all(deliveries.map((delivery) => first.fail(delivery)));

  expect(statements().filter((text) => text === 'commit')).toHaveLength(1);
  expect(await first.store.failureGroups({})).toMatchObject([{ failing: 50 }]);
});

test('those whose subjects another transaction has locked keep no other from being stored or claimed', async () => {
  const { first, client } = await openTwoOwners();
  const deliveries = await claimed(first, subjects(50));
  // More than a pool has connections.
  const waiting = deliveries.slice(0, 10);
  const [ending, ...others] = deliveries.slice(10);
  await client.query('begin');
  await client.query('select from subjects where entity = any($1) for no key update', [
    waiting.map(({ event }) => event.subject.id),
  ]);
  let stored = 0;

  const all = Promise.all(waiting.map((delivery) => first.fail(delivery).then(() => (stored += 1))));
  await Promise.all(others.map((delivery) => first.fail(delivery)));
  await first.succeed(ending!);
  expect(await claimed(first, subjects(1, 50))).toHaveLength(1);

  expect(stored).toBe(0);
  expect(await first.store.failureGroups({})).toMatchObject([{ failing: 39 }]);
  await client.query('commit');
  await all;
  expect(await first.store.failureGroups({})).toMatchObject([{ failing: 49 }]);
});

test('one of a handler that another transaction has locked keeps no other from being stored', async () => {
  const owners = await openTwoOwners();
  const { first } = owners;
  const others = await claimed(first, subjects(20));
  await first.store.accept(sampleEvent({ subject: 'company:20', receivedAt: first.clock.now() }), [
    route(BY_HANDLER, { order: 'handler' }),
  ]);
  const [waiting] = await first.claim({ handlers: [BY_HANDLER] });

  await failWhileLocked(owners, lockOf(HANDLER_LANE_LOCK, BY_HANDLER), waiting, others);

  const groups = await first.store.failureGroups({});
  expect(groups.map(({ handler, failing }) => [handler, failing]).toSorted()).toEqual([
    [HANDLER, 20],
    [BY_HANDLER, 1],
  ]);
});

test('the first of a kind, whose handler has its kinds locked, keeps no other from being stored', async () => {
  const owners = await openTwoOwners();
  const { first } = owners;
  const [known, ...others] = await claimed(first, subjects(20));
  await first.fail(known!);
  await first.accept({ subject: 'company:20' }, OTHER_HANDLER);
  const [waiting] = await first.claim({ handlers: [OTHER_HANDLER] });

  await failWhileLocked(owners, lockOf(FAILURE_GROUPS_LOCK, OTHER_HANDLER), waiting, others);
});

test('those that wait for a subject hold no other subject meanwhile', async () => {
  const { first, second, client } = await openTwoOwners();
  const deliveries = await claimed(first, subjects(20));
  const other = await rawClient(first.store);
  await client.query('begin');
  await client.query("select from subjects where entity = '19' for no key update");
  await other.query('begin');
  await other.query("select from subjects where entity <> '19' for no key update");
  let stored = 0;
  const all = Promise.all(deliveries.map((delivery) => first.fail(delivery).then(() => (stored += 1))));
  await untilWaiting(await rawClient(first.store), 1);

  await other.query('commit');
  await second.accept({ subject: 'company:0', content: 'next' });
  await eventually('all but one are stored', () => Promise.resolve(stored === 19));

  await client.query('commit');
  await all;
});

test('one whose row alone another transaction has locked keeps no other from being stored', async () => {
  const owners = await openTwoOwners();
  const [waiting, ...others] = await claimed(owners.first, subjects(20));
  const id = Number(waiting!.id.slice(1));

  await failWhileLocked(owners, ['select from deliveries where id = $1 for update', [id]], waiting, others);
});

test('errors that are all different and fail at once, in two processes, become 200 groups and one for the others', async () => {
  const { first, second } = await openTwoOwners();
  const ofFirst = await claimed(first, subjects(150));
  const ofSecond = await claimed(second, subjects(150, 150));

  await Promise.all([
    ...ofFirst.map((delivery, at) => first.fail(delivery, `fault ${letters(at)}`)),
    ...ofSecond.map((delivery, at) => second.fail(delivery, `fault ${letters(150 + at)}`)),
  ]);

  const groups = await first.store.failureGroups({});
  expect(groups).toHaveLength(MAX_GROUPS + 1);
  expect(groups.reduce((sum, { failing }) => sum + failing, 0)).toBe(300);
});

test('handlers that first fail at once are locked in the order of their names: no two processes wait for each other', async () => {
  const { first } = await openTwoOwners();
  const handlers = ['c', 'a', 'd', 'b'];
  const event = sampleEvent({ receivedAt: first.clock.now() });
  await first.store.accept(
    event,
    handlers.map((handler) => route(handler)),
  );
  const deliveries = await first.claim({ handlers });
  const query = vi.spyOn(pg.Client.prototype, 'query');
  onTestFinished(() => query.mockRestore());
  const byName = (name: string) => deliveries.find(({ handler }) => handler === name)!;

  await Promise.all(handlers.map((handler) => first.fail(byName(handler))));

  const statements = query.mock.calls.map(([statement]) => statement as unknown as Partial<pg.QueryConfig>);
  const locks = statements.filter(({ text }) => text?.includes('pg_advisory_xact_lock') === true);
  expect(locks.map(({ values }) => values)).toEqual(
    ['a', 'b', 'c', 'd'].map((handler) => [FAILURE_GROUPS_LOCK, handler]),
  );
});

test('two processes whose handlers first fail in opposite orders count each failure once', async () => {
  const { first, second } = await openTwoOwners();
  const handlers = ['a', 'b', 'c', 'd'];
  const claimOf = async (owner: Owner, subject: string) => {
    const event = sampleEvent({ subject, receivedAt: owner.clock.now() });
    await owner.store.accept(
      event,
      handlers.map((handler) => route(handler)),
    );
    return owner.claim({ handlers });
  };
  for (let round = 0; round < 8; round += 1) {
    const ofFirst = await claimOf(first, `company:${String(2 * round)}`);
    const ofSecond = await claimOf(second, `company:${String(2 * round + 1)}`);
    const reason = `fault ${letters(round)}`;

    await Promise.all([
      ...ofFirst.map((delivery) => first.fail(delivery, reason)),
      ...ofSecond.toReversed().map((delivery) => second.fail(delivery, reason)),
    ]);
  }

  const groups = await first.store.failureGroups({});
  expect(groups.map(({ failing }) => failing)).toEqual(Array.from({ length: 8 * handlers.length }, () => 2));
});
