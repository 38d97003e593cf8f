/** The checks of `doctor` on PostgreSQL. */
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/kernel/time/clock.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import { checkStore } from '../../../src/store/postgres/database/checks/check-store.ts';
import { newestLevel } from '../../../src/store/postgres/database/tables/migrations.ts';
import type { StoreCheck } from '../../../src/store/checks.ts';
import type { Store } from '../../../src/store/store.ts';
import { openFixture } from '../../conformance/store-fixture.ts';
import { databaseOfStore, postgres } from '../kit/postgres-places.ts';
import { addressOf, setHeartbeatsBack, rawClient } from '../kit/raw-client.ts';

const failing = (checks: readonly StoreCheck[]) => checks.filter(({ ok }) => !ok).map(({ name }) => name);

async function detailOf(store: Store, name: string): Promise<string | undefined> {
  return (await store.checks()).find((check) => check.name === name && !check.ok)?.detail;
}

test('an owner is told at the start of a server that may lose what was acknowledged', async () => {
  const url = await databaseOfStore();
  const told: string[] = [];
  for (const role of ['owner', 'guest'] as const) {
    const onWarning = (danger: string) => void told.push(danger);
    const store = await openPostgresStore({ url, role, clock: systemClock, onWarning });
    await store.close();
  }
  expect(told).toEqual([expect.stringContaining('fsync = off and full_page_writes = off')]);
});

test('a store is sound but for what the settings of the server can lose', async () => {
  const place = await postgres.place();
  onTestFinished(() => place.remove());
  const store = await place.open('owner', systemClock);
  onTestFinished(() => store.close());

  const checks = await store.checks();

  // The server of the tests saves the time of both.
  expect(failing(checks)).toEqual(['fsync', 'full_page_writes']);
  expect(checks).toContainEqual(
    expect.objectContaining({
      name: 'schema',
      ok: true,
      detail: `level ${String(newestLevel)} of ${String(newestLevel)}`,
    }),
  );
  expect(checks).toContainEqual(
    expect.objectContaining({
      name: 'owners',
      ok: true,
      detail: '1 process dispatches from this store',
    }),
  );
  expect(checks).toContainEqual(
    expect.objectContaining({
      name: 'standbys',
      ok: true,
      detail: 'none: only a backup survives the loss of the disk',
    }),
  );
  const names = checks.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const quick = await store.checks({ integrity: false });
  expect(names.filter((name) => !quick.some((check) => check.name === name))).toEqual([
    'lanes',
    'leases',
    'counts',
  ]);
});

test('the lease of a process that was killed counts no longer than leases last', async () => {
  const { store, clock } = await openFixture(postgres);
  const client = await rawClient(store);
  const guest = await openPostgresStore({ url: addressOf(store), role: 'guest', clock });
  onTestFinished(() => guest.close());
  const owners = async () => (await guest.checks()).find(({ name }) => name === 'owners')?.detail;
  expect(await owners()).toBe('1 process dispatches from this store');

  await setHeartbeatsBack(client, '1 minute');

  expect(await owners()).toMatch(/^no process dispatches/);
});

test('says what is lost without synchronous commits', async () => {
  const fixture = await openFixture(postgres);
  const client = await rawClient(fixture.store);
  const { rows } = await client.query<{ name: string }>('select quote_ident(current_database()) as name');
  const name = rows[0]?.name ?? '';
  await client.query(`alter database ${name} set synchronous_commit = off`);
  // The setting applies to new sessions.
  const reopened = await openPostgresStore({
    url: addressOf(fixture.store),
    role: 'owner',
    clock: fixture.clock,
  });
  const detail = await detailOf(reopened, 'synchronous_commit');
  await reopened.close();
  await client.query(`alter database ${name} reset all`);

  expect(detail).toContain('events acknowledged in the last second can be lost');
  expect(detail).toContain('set synchronous_commit = on');
});

test("reports a clock that differs from the database's", async () => {
  const { store } = await openFixture(postgres);
  expect(await detailOf(store, 'clock')).toMatch(
    /^this machine's clock is [\d.]+ s (?:behind|ahead of) PostgreSQL's: synchronize both machines by NTP$/,
  );
});

test('reports a lane that nothing will run', async () => {
  const { store, stored } = await openFixture(postgres);
  await stored({});
  const client = await rawClient(store);
  await client.query('update deliveries set head = 0');
  expect(await detailOf(store, 'lanes')).toBe(
    '1 lane stuck, because not exactly one delivery is marked as the next: report this',
  );
});

test('reports a delivery that runs in no process', async () => {
  const { store, stored, claimOne } = await openFixture(postgres);
  await stored({});
  await claimOne();
  const client = await rawClient(store);
  await client.query('update deliveries set holder = 999');
  expect(await detailOf(store, 'leases')).toBe(
    '1 running delivery of no process: restart one, which takes them over',
  );
});

test.each([
  ["insert into delivery_counts values ('anyone', 'dead', 1)", '1 count'],
  ['update event_counts set events = events + 1', '1 count'],
  ['delete from deliveries', '1 count'],
])('reports counts that the rows do not have: %s', async (change, found) => {
  const { store, stored } = await openFixture(postgres);
  await stored({});
  const client = await rawClient(store);
  await client.query(change);
  expect(await detailOf(store, 'counts')).toBe(`${found} that the rows do not have: report this`);
});

test('says that alone when the database cannot be reached', async () => {
  const unreached = () => Promise.reject(new Error('connect ECONNREFUSED'));
  const checks = await checkStore({
    read: { rows: unreached, first: unreached, run: unreached },
    tryAccepting: unreached,
    clock: systemClock,
    isListening: true,
    location: 'postgres://portaria@db/portaria',
  });
  expect(checks).toMatchObject([
    { name: 'postgresql', ok: false, detail: 'postgres://portaria@db/portaria: connect ECONNREFUSED' },
  ]);
});
