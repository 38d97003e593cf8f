/** Failures of one kind that several processes record at once. */
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { storeTypes } from '../../../src/store/postgres/database/connections/pools.ts';
import { createTransact } from '../../../src/store/postgres/database/connections/transaction.ts';
import { createFailureRows, failureOf } from '../../../src/store/postgres/failures/failure-rows.ts';
import { createQueryBuilder } from '../../../src/store/postgres/sql/connection.ts';
import { mergeCounts } from '../../../src/store/postgres/statistics/merge-counts.ts';
import {
  errorFingerprint,
  MAX_GROUPS,
  type FailedDelivery,
} from '../../../src/store/shared/failures/failure-group.ts';
import type { ClaimedDelivery } from '../../../src/store/lane-queue.ts';
import type { Store } from '../../../src/store/store.ts';
import { addressOf } from '../kit/raw-client.ts';
import { claimed, HANDLER, openTwoOwners, type Owner } from '../kit/two-owners.ts';

/** Two errors of one kind. */
const [refused, refusedAgain] = ['Error: order 4711 is refused', 'Error: order 12 is refused'];
const closed = 'TypeError: closed';

function transactOn(store: Store) {
  const pool = new pg.Pool({ connectionString: addressOf(store), max: 2, types: storeTypes });
  onTestFinished(() => pool.end());
  return createTransact(pool, { builder: createQueryBuilder(), location: 'here' });
}

async function die({ store, clock }: Owner, delivery: ClaimedDelivery | undefined, reason = refused) {
  await store.complete(delivery!, { status: 'dead', reason }, { now: clock.now(), next: false });
}

/** Records a failure in a transaction that stays open. The returned function commits it. */
async function failUncommitted(owner: Owner, delivery: ClaimedDelivery | undefined, error = refused) {
  const failure: FailedDelivery = {
    ...{ id: Number(delivery!.id.slice(1)), handler: HANDLER, error },
    ...{ dead: false, now: owner.clock.now() },
  };
  const recorded = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const committed = transactOn(owner.store)(async ({ session }) => {
    await createFailureRows().failed(session, [failureOf(failure)]);
    recorded.resolve();
    await end.promise;
  });
  await Promise.race([recorded.promise, committed]);
  return async () => {
    end.resolve();
    await committed;
  };
}

const summaries = async ({ store }: Owner) =>
  (await store.failureGroups({})).map(({ error, dead, failing }) => ({ error, dead, failing }));

test('a failure waits for no open transaction with a failure of the same kind', async () => {
  const { first, second } = await openTwoOwners();
  const [known, waiting] = await claimed(first, ['1', '2']);
  const [failing, dying] = await claimed(second, ['3', '4']);
  await first.fail(known!, refused);
  const commit = await failUncommitted(first, waiting);

  // They would be refused after ten seconds of waiting.
  await second.fail(failing!, refusedAgain);
  await die(second, dying, refusedAgain);

  const error = errorFingerprint(refused);
  expect(await summaries(second)).toEqual([{ error, dead: 1, failing: 2 }]);
  await commit();
  expect(await summaries(second)).toEqual([{ error, dead: 1, failing: 3 }]);
});

test('the first failures of a kind, in two processes at once, are of one group', async () => {
  const { first, second } = await openTwoOwners();
  const ofFirst = await claimed(first, ['1', '2', '3', '4']);
  const ofSecond = await claimed(second, ['5', '6', '7', '8']);

  await Promise.all([
    ...ofFirst.map((delivery) => die(first, delivery)),
    ...ofSecond.map((delivery) => die(second, delivery, refusedAgain)),
  ]);

  expect(await summaries(first)).toEqual([{ error: errorFingerprint(refused), dead: 8, failing: 0 }]);
});

test('merging changes nothing that is read, beside failures and retries, and leaves no changes', async () => {
  const { first, second, client } = await openTwoOwners();
  const [dead, ended, failing] = await claimed(first, ['1', '2', '3']);
  await die(first, dead);
  await die(first, ended, closed);
  for (const { clock } of [first, second]) clock.advance(1_000);
  await first.store.retryDeliveries([dead!.id], first.clock.now());
  await first.fail(failing!, closed);
  const before = await second.store.failureGroups({});
  expect(before).toMatchObject([{ dead: 1, failing: 1, lastAt: before[0]!.firstAt + 1_000 }]);
  const transact = transactOn(first.store);

  await Promise.all([mergeCounts(transact), mergeCounts(transact)]);
  expect(await second.store.failureGroups({})).toEqual(before);
  expect((await client.query('select from failure_changes')).rowCount).toBe(0);

  const [other] = await second.claim();
  await Promise.all([die(second, other, closed), mergeCounts(transact)]);
  expect(await summaries(first)).toMatchObject([{ dead: 2, failing: 1 }]);
});

test('a group begins anew after all its failures are gone', async () => {
  const { first, client } = await openTwoOwners();
  const [one, other] = await claimed(first, ['1', '2']);
  await die(first, one);
  await first.store.discardDeliveries([one!.id], { reason: 'no need', now: first.clock.now() });
  first.clock.advance(60_000);
  await die(first, other);

  const anew = [{ dead: 1, firstAt: first.clock.now(), lastAt: first.clock.now() }];
  expect(await first.store.failureGroups({})).toMatchObject(anew);
  await mergeCounts(transactOn(first.store));
  expect(await first.store.failureGroups({})).toMatchObject(anew);
  expect((await client.query('select from failure_groups')).rowCount).toBe(1);
});

test('a group in which an open transaction records a failure is not removed to make room', async () => {
  const { first, second, client } = await openTwoOwners();
  const [one] = await claimed(first, ['1']);
  const [other] = await claimed(second, ['2']);
  // As many groups as a handler may have, all empty, and one of them is of this kind of error.
  await client.query(
    `insert into failure_groups (handler, fingerprint, dead, first_at, last_at)
     select $1, case number when 1 then $2 else 'made ' || number end, 0, 1, 1 from generate_series(1, $3) as number`,
    [HANDLER, errorFingerprint(refused), MAX_GROUPS],
  );
  const commit = await failUncommitted(first, one);

  await second.fail(other!, closed);
  await commit();

  expect((await client.query('select from failure_groups')).rowCount).toBe(2);
  const groups = await summaries(second);
  expect(groups.map(({ error }) => error).toSorted()).toEqual(
    [errorFingerprint(closed), errorFingerprint(refused)].toSorted(),
  );
});
