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
    return pool.broken
      ? Promise.reject(diskFull())
      : work({ session, counts: createCountChanges(), unawaited: () => undefined });
  };
  return { pool, transact };
}

const write = (transact: Transact) =>
  transact(({ session: one }) => one.run({ compile: () => ({}) as never }));
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

function open() {
  const accepting = openPool();
  const dispatching = openPool();
  const health = createHealth(() => write(accepting.transact));
  return {
    ...{ accepting: accepting.pool, dispatching: dispatching.pool, health },
    accept: health.watchAccepting(accepting.transact),
    dispatch: health.watchOthers(dispatching.transact),
  };
}

test('a store that cannot store webhooks is unhealthy until the pool for webhooks writes again, whatever other pools do', async () => {
  const { accepting, dispatching, health, accept, dispatch } = open();

  accepting.broken = true;
  await expect(write(accept)).rejects.toThrow('no space left on device');
  await write(dispatch);
  expect(health.healthy()).toBe(false);
  await turn();
  expect(health.healthy()).toBe(false);
  expect(dispatching.transactions).toBe(1);

  accepting.broken = false;
  await turn();
  health.healthy();
  await turn();
  expect(health.healthy()).toBe(true);
});

test('a store whose deliveries fail alone stays healthy, at every check', async () => {
  const { dispatching, health, dispatch } = open();
  dispatching.broken = true;
  for (let time = 0; time < 3; time += 1) {
    await expect(write(dispatch)).rejects.toThrow('no space left on device');
    expect(health.healthy()).toBe(true);
    await turn();
    expect(health.healthy()).toBe(true);
  }
});

test('a store whose deliveries fail is unhealthy before a webhook comes, if none can be stored', async () => {
  const { accepting, dispatching, health, dispatch } = open();
  accepting.broken = true;
  dispatching.broken = true;
  await expect(write(dispatch)).rejects.toThrow('no space left on device');
  await turn();

  expect(accepting.transactions).toBe(1);
  expect(health.healthy()).toBe(false);
});

test('a healthy store is not probed', () => {
  const { pool, transact } = openPool();
  const health = createHealth(() => write(transact));

  expect(health.healthy()).toBe(true);
  expect(pool.transactions).toBe(0);
});
