import { expect, test } from 'vitest';
import { manualClock } from '../../../../testing/manual-clock.ts';
import type { Session } from '../../sql/session.ts';
import { createLeaseWatch } from './expired-leases.ts';
import { LEASE_MS } from './lease.ts';
import { createCountChanges } from '../../statistics/count-changes.ts';

const BETWEEN_MS = 1_500;

/** A process that checks the lease of another one, which has a heartbeat while it is well. */
function setup() {
  const clock = manualClock();
  let heartbeat = 1;
  let ageMs = 0;
  let deleted = 0;
  const read = { rows: async () => [{ holder: 7, heartbeat: String(heartbeat), age: ageMs }] };
  const session = { run: async () => (deleted += 1) };
  const watch = createLeaseWatch({
    clock,
    read: read as unknown as Session,
    transact: (work) =>
      work({
        session: session as unknown as Session,
        counts: createCountChanges(),
        unawaited: () => undefined,
      }),
  });
  return {
    deletedAfter: async (ms: number, beats = false): Promise<number> => {
      for (let passed = 0; passed < ms; passed += BETWEEN_MS) {
        clock.advance(BETWEEN_MS);
        if (beats) heartbeat += 1;
        await watch.deleteExpired();
      }
      return deleted;
    },
    /** The database is away, so nobody has a heartbeat and nobody checks. */
    outage: (ms: number) => {
      clock.advance(ms);
    },
    /** The clock of the database jumps forward. */
    jump: (ms: number) => {
      ageMs += ms;
    },
  };
}

test('a process without a heartbeat loses its lease, not before its time', async () => {
  const { deletedAfter } = setup();
  await deletedAfter(BETWEEN_MS, true);
  expect(await deletedAfter(LEASE_MS - BETWEEN_MS)).toBe(0);
  expect(await deletedAfter(2 * BETWEEN_MS)).toBeGreaterThan(0);
});

test('after an outage of the database, however long, each process has its time again', async () => {
  const { deletedAfter, outage } = setup();
  await deletedAfter(BETWEEN_MS, true);
  outage(10 * LEASE_MS);
  expect(await deletedAfter(LEASE_MS - BETWEEN_MS)).toBe(0);
  expect(await deletedAfter(2 * BETWEEN_MS)).toBeGreaterThan(0);
});

test('a jump of the clock of the database ends no lease', async () => {
  const { deletedAfter, jump } = setup();
  await deletedAfter(BETWEEN_MS, true);
  jump(3_600_000);
  expect(await deletedAfter(LEASE_MS - 2 * BETWEEN_MS)).toBe(0);
  expect(await deletedAfter(BETWEEN_MS, true)).toBe(0);
});

test('the first check knows nothing of how old a heartbeat is', async () => {
  const { deletedAfter, jump } = setup();
  jump(3_600_000);
  expect(await deletedAfter(LEASE_MS - BETWEEN_MS)).toBe(0);
});
