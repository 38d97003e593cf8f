/** The audit with several processes, and what a hand that writes to the database can do to it. */
import { expect, test } from 'vitest';
import type { NewAuditEntry } from '../../src/store/audit.ts';
import { openFixture } from '../conformance/store-fixture.ts';
import { rawClient } from './kit/raw-client.ts';
import { postgres } from './kit/postgres-places.ts';

const entry = (changes: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  at: 1,
  place: 'console',
  actor: 'ana',
  address: null,
  action: 'retryDeliveries',
  unmasked: false,
  subject: { delivery: 'd1' },
  reason: null,
  result: 'done',
  status: 200,
  times: 1,
  ends: null,
  ...changes,
});

/** Two processes on one database, and five entries. */
async function openTwo() {
  const fixture = await openFixture(postgres);
  const { store } = fixture;
  const other = await fixture.openAgain('owner');
  for (let at = 1; at <= 5; at += 1)
    await store.appendAudit(entry({ at, subject: { delivery: `d${String(at)}` } }));
  return { store, other, client: await rawClient(store) };
}

test('entries of two processes have no gaps, and each is chained to the one before', async () => {
  const { store, other } = await openTwo();
  const ids = await Promise.all(
    Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? store : other).appendAudit(entry({ at }))),
  );
  expect(new Set(ids).size).toBe(60);
  expect(await store.checkAudit()).toMatchObject({ entries: 65, last: { id: 'u65' }, problems: [] });
});

test('an append waits for one that has not committed, and is chained to it', async () => {
  const { store, client } = await openTwo();
  await client.query('begin');
  await client.query('update audit_start set last = last + 1');
  let appended = false;
  const waiting = store.appendAudit(entry()).finally(() => (appended = true));
  // The append waits for the lock as soon as the server shows so.
  await expect.poll(async () => (await blockedBy(client)).length).toBe(1);
  expect(appended).toBe(false);
  await client.query('rollback');
  expect(await waiting).toBe('u6');
  expect((await store.checkAudit()).problems).toEqual([]);
});

async function blockedBy(client: { query(text: string): Promise<{ rows: unknown[] }> }): Promise<unknown[]> {
  const { rows } = await client.query(
    'select pid from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))',
  );
  return rows;
}

test('an action that two processes end at once has one end', async () => {
  const { store, other } = await openTwo();
  const begun = await store.appendAudit(entry({ result: 'unfinished' }));
  const ends = await Promise.allSettled([
    store.appendAudit(entry({ ends: begun })),
    other.appendAudit(entry({ ends: begun })),
  ]);
  expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { code: 'store-failed' },
  });
  expect(await store.checkAudit()).toMatchObject({ entries: 7, problems: [] });
});

test('two processes prune at once and beside appends, and the chain goes on', async () => {
  const { store, other } = await openTwo();
  const [one, two] = await Promise.all([
    store.pruneAudit(5, 3),
    other.pruneAudit(5, 3),
    ...Array.from({ length: 10 }, () => other.appendAudit(entry({ at: 9 }))),
  ]);
  expect(Number(one) + Number(two)).toBe(4);
  expect(await store.checkAudit()).toMatchObject({ entries: 13, prunedThrough: 'u4', problems: [] });
});

test('finds an entry by a value with any character in it', async () => {
  const { store } = await openTwo();
  const odd = ['a\u0000b', 'half \ud800', 'quoted "x"', 'back\\slash', '":"', '%_'];
  for (const value of odd) await store.appendAudit(entry({ subject: { path: value, more: `x, ${value}` } }));
  const page = { order: 'newest', limit: 9 } as const;
  for (const [at, value] of odd.entries())
    expect((await store.audit({ subject: value }, page)).map(({ id }) => id)).toEqual([`u${String(6 + at)}`]);
  expect(await store.audit({ subject: 'x"' }, page)).toEqual([]);
  expect(await store.audit({ subject: 'path' }, page)).toEqual([]);
});

test.each([
  ["update audit set actor = 'bob' where id = 2", 'never changes'],
  ['delete from audit where id = 5', 'only retention'],
  ['truncate audit', 'only retention'],
  [
    'insert into audit select 9, at, place, actor, address, action, unmasked, subject, reason, result, status, times, ends, hash from audit where id = 2',
    'are appended',
  ],
  ['update audit_start set through = 9', 'only move on'],
  ['update audit_start set last = 2', 'only move on'],
  ['delete from audit_start', 'keeps its begin'],
])('the database refuses: %s', async (statement, why) => {
  const { store, client } = await openTwo();
  await expect(client.query(statement)).rejects.toThrow(why);
  expect(await store.checkAudit()).toMatchObject({ entries: 5, problems: [] });
});

test.each([
  [
    "update audit set actor = 'bob' where id = 2",
    [{ id: 'u2', problem: 'was changed, or the entry before it was' }],
  ],
  ['delete from audit where id in (2, 3)', [{ id: 'u2', problem: 'is missing, up to u3' }]],
  ['delete from audit where id > 3', [{ id: 'u4', problem: 'and all later entries are missing' }]],
])('a check sees what somebody did without the triggers: %s', async (statement, problems) => {
  const { store, client } = await openTwo();
  await client.query('set session_replication_role = replica');
  await client.query(statement);
  expect((await store.checkAudit()).problems).toEqual(problems);
  // Later entries hide nothing.
  await store.appendAudit(entry());
  expect((await store.checkAudit()).problems[0]?.id).toBe(problems[0]?.id);
});
