import { expect, test } from 'vitest';
import type { Session } from '../../sql/session.ts';
import type { Transact } from './transaction.ts';
import { createHealth } from './health.ts';
import { createCountChanges } from '../../statistics/count-changes.ts';

const session: Session = {
  rows: () => Promise.resolve([]),
  first: () => Promise.resolve(undefined),
  run: () => Promise.resolve(1),
};

const diskFull = () => Object.assign(new Error('no space left on device'), { code: '53100' });

/** A pool whose transactions fail while it is broken. */
function openPool() {
  const pool = { broken: false, transactions: 0 };
  const transact: Transact = (work) => {
    pool.transactions += 1;
    return pool.broken ? Promise.reject(diskFull()) : work({ session, counts: createCountChanges() });
  };
  return { pool, transact };
}

const write = (transact: Transact) =>
  transact(({ session: one }) => one.run({ compile: () => ({}) as never }));
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

test('a store that cannot store webhooks is unhealthy until the pool for webhooks writes again, whatever other pools do', async () => {
  const accepting = openPool();
  const dispatching = openPool();
  const health = createHealth(accepting.transact);
  const accept = health.watch(accepting.transact);
  const dispatch = health.watch(dispatching.transact);

  accepting.pool.broken = true;
  await expect(write(accept)).rejects.toThrow('no space left on device');
  await write(dispatch);
  expect(health.healthy()).toBe(false);
  await turn();
  expect(health.healthy()).toBe(false);
  expect(dispatching.pool.transactions).toBe(1);

  accepting.pool.broken = false;
  await turn();
  health.healthy();
  await turn();
  expect(health.healthy()).toBe(true);
});

test('a healthy store is not probed', () => {
  const { pool, transact } = openPool();
  const health = createHealth(transact);

  expect(health.healthy()).toBe(true);
  expect(pool.transactions).toBe(0);
});
