import BetterSqlite3 from 'better-sqlite3';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openProviderDatabase } from './open-provider-database.ts';

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-provider-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return join(folder, 'new', 'provider.db');
}

test('gives every table an organization, but for global ones', async () => {
  const { sqlite, query } = openProviderDatabase(':memory:');

  const tables = await query.introspection.getTables();
  const without = tables
    .filter(({ columns }) => !columns.some(({ name }) => name === 'organization_id'))
    .map(({ name }) => name);

  expect(without.sort()).toEqual(['organizations', 'service_clock']);
  sqlite.close();
});

test('creates a file with its folder, and opens it again', async () => {
  const file = temporaryFile();
  const first = openProviderDatabase(file);
  await first.query.insertInto('organizations').values({ name: 'A', created_at: 'now' }).execute();
  await first.query.destroy();

  const again = openProviderDatabase(file);

  expect(await again.query.selectFrom('organizations').select('name').execute()).toEqual([{ name: 'A' }]);
  await again.query.destroy();
});

test('lets only the owner open the file and its WAL', async () => {
  const file = temporaryFile();
  const { query } = openProviderDatabase(file, (warning) => expect.unreachable(warning));
  await query.insertInto('organizations').values({ name: 'A', created_at: 'now' }).execute();

  expect(['', '-wal', '-shm'].map((suffix) => statSync(`${file}${suffix}`).mode & 0o777)).toEqual([
    0o600, 0o600, 0o600,
  ]);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  await query.destroy();
});

test('makes an existing file private, and warns once', async () => {
  const file = temporaryFile();
  await openProviderDatabase(file).query.destroy();
  chmodSync(file, 0o644);
  const warnings: string[] = [];

  for (let opening = 0; opening < 2; opening += 1)
    await openProviderDatabase(file, (warning) => warnings.push(warning)).query.destroy();

  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(warnings).toEqual([
    `other users could open provider.db (0644) at ${file}; now only the owner can (0600)`,
  ]);
});

test('rejects the file of another program, and leaves it unchanged', () => {
  const file = temporaryFile();
  mkdirSync(dirname(file));
  const other = new BetterSqlite3(file);
  // Durability does not matter here.
  other.pragma('synchronous = off');
  other.exec('create table contacts (name)');
  other.close();
  chmodSync(file, 0o644);
  const before = readFileSync(file);

  expect(() => openProviderDatabase(file)).toThrow(expect.objectContaining({ code: 'store-corrupt' }));
  expect(readFileSync(file)).toEqual(before);
  expect(statSync(file).mode & 0o777).toBe(0o644);
});

test('rejects the file of another version', () => {
  const file = temporaryFile();
  const { sqlite } = openProviderDatabase(file);
  sqlite.pragma('user_version = 999');
  sqlite.close();

  expect(() => openProviderDatabase(file)).toThrow(
    expect.objectContaining({
      code: 'store-newer',
      message: expect.stringMatching(/schema 999, this version has 1.*name a new file with --database/u),
    }),
  );
});
