import { expect, test } from 'vitest';
import { manualClock } from '../../../../testing/manual-clock.ts';
import { retryingLocks } from './lock-waits.ts';
import type { Transact, Transaction } from './transaction.ts';

/** Work of which the first tries find a lock that is not free in time. */
function openLocked(tries: number) {
  const clock = manualClock();
  const waitsMs: (number | undefined)[] = [];
  const transact: Transact = (work, options) => {
    waitsMs.push(options?.lockWaitMs);
    return work({} as Transaction);
  };
  let runs = 0;
  const run = () =>
    retryingLocks(transact, { location: 'postgres://there/db', clock })(async () => {
      runs += 1;
      clock.advance(1_000);
      if (runs <= tries) throw Object.assign(new Error('lock timeout'), { code: '55P03' });
      return runs;
    });
  return { run, waitsMs };
}

test('work whose lock is not free in time runs again, and waits longer for each lock', async () => {
  const { run, waitsMs } = openLocked(5);

  expect(await run()).toBe(6);

  expect(waitsMs).toEqual([200, 400, 800, 1_600, 1_600, 1_600]);
});

test('work whose lock stays taken is refused, with what to look for', async () => {
  const { run, waitsMs } = openLocked(Infinity);

  await expect(run()).rejects.toMatchObject({
    code: 'store-busy',
    message: expect.stringContaining('look for sessions that are idle in a transaction') as string,
  });

  expect(waitsMs).toHaveLength(10);
});
