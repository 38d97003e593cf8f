/** What a hand that writes to the file can do to the audit, and what a check sees of it. */
import { join } from 'node:path';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../kernel/time/clock.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import type { Store } from '../../store.ts';
import { openSqliteStore } from '../open-sqlite-store.ts';

let store: Store;
let file: Database;

beforeEach(async () => {
  const path = join(temporaryFolder(), 'portaria.db');
  store = await openSqliteStore({ path, role: 'owner', clock: systemClock });
  file = new BetterSqlite3(path);
  onTestFinished(async () => {
    file.close();
    await store.close();
  });
  for (let at = 1; at <= 5; at += 1)
    await store.appendAudit({
      at,
      place: 'console',
      actor: 'ana',
      address: null,
      action: 'retryDeliveries',
      unmasked: false,
      subject: { delivery: `d${String(at)}` },
      reason: null,
      result: 'done',
      status: 200,
      times: 1,
      ends: null,
    });
});

const triggers = () =>
  file
    .prepare<[], string>("select name from sqlite_schema where type = 'trigger' and name like 'audit%'")
    .pluck()
    .all();

/** What somebody does who knows the schema. */
function withoutTriggers(sql: string): void {
  for (const name of triggers()) file.exec(`drop trigger ${name}`);
  file.exec(sql);
}

describe('the file refuses', () => {
  test.each([
    ["update audit set actor = 'bob' where id = 2", 'never changes'],
    ['update audit set hash = hash', 'never changes'],
    ['delete from audit', 'only retention'],
    ['delete from audit where id = 5', 'only retention'],
    [
      "insert or replace into audit select 2, at, place, 'bob', address, action, unmasked, subject, reason, result, status, times, ends, hash from audit where id = 2",
      'appended',
    ],
    [
      'insert into audit select 9, at, place, actor, address, action, unmasked, subject, reason, result, status, times, ends, hash from audit where id = 2',
      'appended',
    ],
    ['update audit_start set through = 99', 'only moves on'],
    ['update audit_start set through = 0', 'only moves on'],
    ['delete from audit_start', 'keeps its begin'],
  ])('%s', async (sql, why) => {
    expect(() => file.exec(sql)).toThrow(why);
    expect(await store.checkAudit()).toMatchObject({ entries: 5, problems: [] });
  });
});

describe('a check sees', () => {
  test.each([
    ['a changed entry', "update audit set actor = 'bob' where id = 2", ['u2']],
    ['a changed hash', 'update audit set hash = zeroblob(32) where id = 3', ['u3', 'u4']],
    ['an entry removed from the middle', 'delete from audit where id = 3', ['u3']],
    ['the first entries removed', 'delete from audit where id < 3', ['u1']],
    ['the last entries removed', 'delete from audit where id > 3', ['u4']],
    ['all entries removed', 'delete from audit', ['u1']],
    [
      'a begin that was moved on',
      'delete from audit where id < 3; update audit_start set through = 2',
      ['u3'],
    ],
    [
      'two entries swapped',
      'update audit set id = 99 where id = 2; update audit set id = 2 where id = 3; update audit set id = 3 where id = 99',
      ['u2', 'u3', 'u4'],
    ],
  ])('%s', async (_name, sql, ids) => {
    withoutTriggers(sql);
    const { problems } = await store.checkAudit();
    expect(problems.map(({ id }) => id)).toEqual(ids);
  });

  test('by a noted mark that the end was removed, also when the counter was set back', async () => {
    const { last } = await store.checkAudit();
    withoutTriggers(
      "delete from audit where id > 3; update sqlite_sequence set seq = 3 where name = 'audit'",
    );
    expect((await store.checkAudit()).problems).toEqual([]);
    expect((await store.checkAudit(last ?? undefined)).problems).toEqual([
      { id: 'u5', problem: 'was noted earlier and is missing' },
    ]);
  });
});

test('no statement of the sources changes an entry', async () => {
  const { readdirSync, readFileSync } = await import('node:fs');
  const root = new URL('../../../', import.meta.url);
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/u.test(name) && !name.endsWith('.test.ts'),
  );
  const found = sources.flatMap((name) => {
    const text = readFileSync(new URL(name, root), 'utf8');
    return [...text.matchAll(/(?:updateTable|deleteFrom)\('audit'\)|\b(?:update|delete from) audit\b/gu)].map(
      ([match]) => `${name}: ${match}`,
    );
  });
  // Retention alone.
  expect(found).toEqual(['store/shared/audit/audit-writes.ts: delete from audit']);
});
