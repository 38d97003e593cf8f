import BetterSqlite3 from 'better-sqlite3';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { StoreRole } from '../store.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { openDatabase, requireSafeSqlite } from './file/open-database.ts';
import { openSqliteStore } from './open-sqlite-store.ts';
import { isOwned } from './file/owner-lock.ts';
import { createReplay } from '../../../test/support/replay-job.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

async function open(path: string, role: StoreRole = 'owner') {
  const store = await openSqliteStore({ path, role, clock: manualClock() });
  onTestFinished(() => store.close());
  return store;
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

test('creates the folder and the files for their user alone', async () => {
  const path = join(temporaryFolder(), 'new', 'folder', 'portaria.db');

  const store = await open(path);

  expect(store.location).toBe(path);
  expect(modeOf(join(path, '..'))).toBe(0o700);
  expect(readdirSync(join(path, '..')).map((name) => modeOf(join(path, '..', name)))).toEqual(
    Array.from({ length: 5 }, () => 0o600),
  );
});

test('opening sets the pragmas for durability', () => {
  const database = openDatabase(join(temporaryFolder(), 'portaria.db'));
  onTestFinished(() => {
    database.close();
  });
  const pragma = (name: string) => database.pragma(name, { simple: true });

  expect(pragma('journal_mode')).toBe('wal');
  expect(pragma('synchronous')).toBe(2);
  expect(pragma('foreign_keys')).toBe(1);
  expect(pragma('secure_delete')).toBe(1);
  expect(pragma('busy_timeout')).toBeGreaterThan(0);
  expect(pragma('journal_size_limit')).toBeGreaterThan(0);
});

test.each(['3.51.2', '3.9.9', '2.99.99'])('rejects SQLite %s', (version) => {
  expect(() => {
    requireSafeSqlite(version);
  }).toThrow(expect.objectContaining({ code: 'store-unsupported' }));
});

test.each(['3.51.3', '3.53.0', '3.100.0', '4.0.0'])('accepts SQLite %s', (version) => {
  expect(() => {
    requireSafeSqlite(version);
  }).not.toThrow();
});

test('rejects a file that is not a database, and leaves it unchanged', async () => {
  const path = join(temporaryFolder(), 'portaria.db');
  writeFileSync(path, 'this is a letter, not a database. '.repeat(50));
  const before = readFileSync(path);

  await expect(open(path)).rejects.toMatchObject({
    code: 'store-corrupt',
    message: expect.stringContaining('restore a copy') as string,
  });
  expect(readFileSync(path)).toEqual(before);
  expect(isOwned(path)).toBe(false);
});

test("rejects another program's database, and leaves it unchanged", async () => {
  const path = join(temporaryFolder(), 'contacts.db');
  const other = new BetterSqlite3(path);
  other.exec('create table contacts (name)');
  other.close();
  const before = readFileSync(path);

  await expect(open(path)).rejects.toMatchObject({ code: 'store-corrupt' });
  expect(readFileSync(path)).toEqual(before);
});

test('rejects a database of a newer version', async () => {
  const path = join(temporaryFolder(), 'portaria.db');
  await (await open(path)).close();
  const database = new BetterSqlite3(path);
  database.pragma('user_version = 999');
  database.close();

  await expect(open(path)).rejects.toMatchObject({
    code: 'store-newer',
    message: expect.stringContaining('schema 999') as string,
  });
});

test('reports a damaged database', async () => {
  const path = join(temporaryFolder(), 'portaria.db');
  await (await open(path)).close();
  const whole = readFileSync(path);
  writeFileSync(path, Buffer.concat([whole.subarray(0, 100), Buffer.alloc(whole.length - 100, 0x5a)]));

  await expect(open(path)).rejects.toMatchObject({ code: 'store-corrupt' });
});

test('rejects a path that is a folder, or below a file', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), '');

  await expect(open(folder)).rejects.toMatchObject({ code: 'store-read-only' });
  await expect(open(join(folder, 'file', 'portaria.db'))).rejects.toMatchObject({ code: 'store-read-only' });
});

test.runIf(process.getuid?.() === 0)('rejects a file that cannot be written', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'portaria.db');
  await (await open(path)).close();
  const nobody = 65_534;
  chownSync(folder, nobody, nobody);
  chmodSync(path, 0o444);
  process.seteuid?.(nobody);
  onTestFinished(() => {
    process.seteuid?.(0);
  });

  await expect(open(path, 'guest')).rejects.toMatchObject({
    code: 'store-read-only',
    message: expect.stringContaining('permissions') as string,
  });
});

test('a symbolic link to the file has the same owner', async () => {
  const folder = temporaryFolder();
  await open(join(folder, 'portaria.db'));
  symlinkSync(join(folder, 'portaria.db'), join(folder, 'alias.db'));

  expect(isOwned(join(folder, 'alias.db'))).toBe(true);
  await expect(open(join(folder, 'alias.db'))).rejects.toMatchObject({ code: 'store-locked' });
});

test.each<StoreRole>(['owner', 'guest'])(
  'given a database with a second name, rejects each name for the %s, and leaves the other process alone',
  async (role) => {
    const folder = temporaryFolder();
    const path = join(folder, 'portaria.db');
    const running = await open(path);
    linkSync(path, join(folder, 'alias.db'));

    for (const name of [path, join(folder, 'alias.db')]) {
      await expect(open(name, role)).rejects.toMatchObject({
        code: 'store-unsupported',
        message: expect.stringContaining(`${name} has 2 names (hard links)`) as string,
      });
    }
    expect(readdirSync(folder)).not.toContain('alias.db-wal');
    expect(readdirSync(folder)).not.toContain('alias.db.lock');

    rmSync(join(folder, 'alias.db'));
    await (await open(path, 'guest')).close();
    expect(running.healthy()).toBe(true);
  },
);

test('rejects a copy whose write-ahead log is still that of the original', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'portaria.db');
  await open(path);
  copyFileSync(path, join(folder, 'copy.db'));
  linkSync(`${path}-wal`, join(folder, 'copy.db-wal'));

  await expect(open(join(folder, 'copy.db'))).rejects.toMatchObject({
    code: 'store-unsupported',
    message: expect.stringMatching(/copy\.db-wal has 2 names/) as string,
  });
});

test('a guest that only reads writes nothing: it needs no room on the disk', async () => {
  const path = join(temporaryFolder(), 'portaria.db');
  await open(path);
  const written = readFileSync(`${path}-wal`);

  const guest = await open(path, 'guest');
  await guest.totals();

  expect(readFileSync(`${path}-wal`).equals(written)).toBe(true);
});

test('isOwned reports an owner without affecting it', async () => {
  const path = join(temporaryFolder(), 'portaria.db');
  expect(isOwned(path)).toBe(false);

  const guest = await open(path, 'guest');
  expect(isOwned(path)).toBe(false);

  const owner = await open(path);
  expect(isOwned(path)).toBe(true);
  expect(isOwned(path)).toBe(true);
  await expect(open(path)).rejects.toMatchObject({ code: 'store-locked' });
  expect(await guest.checks()).toContainEqual(
    expect.objectContaining({
      name: 'owner',
      ok: true,
      detail: 'a process dispatches from this store',
    }),
  );

  await owner.close();
  expect(isOwned(path)).toBe(false);
});

test('a guest does not migrate the file of a running owner', async () => {
  const path = join(temporaryFolder(), 'portaria.db');
  await open(path);
  const database = new BetterSqlite3(path);
  database.pragma('user_version = 0');
  database.close();

  await expect(open(path, 'guest')).rejects.toMatchObject({ code: 'store-locked' });
});

test.each([
  [
    'deleted',
    (path: string) => {
      rmSync(path);
    },
  ],
  [
    'replaced',
    (path: string) => {
      renameSync(path, `${path}.old`);
      writeFileSync(path, '');
    },
  ],
])('stops writing to a file that is %s while the store is open', async (_, lose) => {
  const path = join(temporaryFolder(), 'portaria.db');
  const fatal = vi.fn();
  const store = await openSqliteStore({ path, role: 'owner', clock: manualClock(), onFatal: fatal });
  onTestFinished(() => store.close());
  lose(path);

  const replay = createReplay(store, {}, 0);

  await expect(replay).rejects.toMatchObject({
    code: 'store-failed',
    message: expect.stringContaining('put it back') as string,
  });
  expect(store.healthy()).toBe(false);
  expect(fatal).toHaveBeenCalledOnce();
});

test.each([
  [
    'deleted',
    (lock: string) => {
      rmSync(lock);
    },
  ],
  [
    'replaced',
    (lock: string) => {
      rmSync(lock);
      writeFileSync(`${lock}.new`, '');
      writeFileSync(lock, '');
    },
  ],
])('given a lock that is %s, the owner stops before it writes beside a second one', async (_, lose) => {
  const path = join(temporaryFolder(), 'portaria.db');
  const fatal = vi.fn();
  const first = await openSqliteStore({ path, role: 'owner', clock: manualClock(), onFatal: fatal });
  onTestFinished(() => first.close());
  lose(`${path}.lock`);
  const second = await open(path);

  await expect(first.claim({ limit: 1, handlers: [], now: 0 })).rejects.toMatchObject({
    code: 'store-failed',
    message: expect.stringContaining(`${path}.lock was moved, replaced or deleted`) as string,
  });
  expect(fatal).toHaveBeenCalledOnce();
  expect(first.healthy()).toBe(false);
  expect(second.healthy()).toBe(true);
});

test('a guest keeps working when the lock is deleted', async () => {
  const path = join(temporaryFolder(), 'portaria.db');
  await (await open(path)).close();
  const guest = await open(path, 'guest');
  rmSync(`${path}.lock`);

  await createReplay(guest, {}, 0);

  expect(guest.healthy()).toBe(true);
});

test('draws a store id once', async () => {
  const folder = temporaryFolder();
  const one = await open(join(folder, 'one.db'));
  const two = await open(join(folder, 'two.db'));
  const guest = await open(join(folder, 'one.db'), 'guest');

  expect(one.storeId).toMatch(/^[0-9a-hjkmnp-tv-z]{6}$/);
  expect(two.storeId).not.toBe(one.storeId);
  expect(guest.storeId).toBe(one.storeId);
});
