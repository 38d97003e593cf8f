import type { CompiledQuery, RawBuilder } from 'kysely';
import { expect, test } from 'vitest';
import { manualClock } from '../../../../testing/manual-clock.ts';
import { createQueryBuilder } from '../../sql/connection.ts';
import { retryingLocks } from './lock-waits.ts';
import type { Transact, Transaction } from './transaction.ts';

const builder = createQueryBuilder();

/** Work of which the first tries find a lock that is not free in time. */
function openLocked(tries: number) {
  const clock = manualClock();
  const timeouts: string[] = [];
  const session = {
    run(query: RawBuilder<unknown>) {
      timeouts.push((query.compile(builder) satisfies CompiledQuery).sql);
      return Promise.resolve(0);
    },
  };
  const transact: Transact = (work) => work({ session } as unknown as Transaction);
  let runs = 0;
  const run = () =>
    retryingLocks(transact, { location: 'postgres://there/db', clock })(async () => {
      runs += 1;
      clock.advance(1_000);
      if (runs <= tries) throw Object.assign(new Error('lock timeout'), { code: '55P03' });
      return runs;
    });
  return { run, timeouts };
}

test('work whose lock is not free in time runs again, and waits longer for each lock', async () => {
  const { run, timeouts } = openLocked(5);

  expect(await run()).toBe(6);

  expect(timeouts).toEqual(
    [200, 400, 800, 1_600, 1_600, 1_600].map((ms) => `set local lock_timeout = '${String(ms)}ms'`),
  );
});

test('work whose lock stays taken is refused, with what to look for', async () => {
  const { run, timeouts } = openLocked(Infinity);

  await expect(run()).rejects.toMatchObject({
    code: 'store-busy',
    message: expect.stringContaining('look for sessions that are idle in a transaction') as string,
  });

  expect(timeouts).toHaveLength(10);
});
