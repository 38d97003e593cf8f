import BetterSqlite3 from 'better-sqlite3';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dropListRevisions } from '../list/list-revisions-migration.ts';
import { allMigrations } from './all-migrations.ts';
import { migrate } from './migrate.ts';
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

  expect(without.sort()).toEqual(['organizations', 'service_clock', 'set_aside_indexes']);
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

test('rejects the file of a newer version', () => {
  const file = temporaryFile();
  const { sqlite } = openProviderDatabase(file);
  sqlite.pragma('user_version = 999');
  sqlite.close();

  expect(() => openProviderDatabase(file)).toThrow(expect.objectContaining({ code: 'store-newer' }));
});

test('leaves the file as it was when a migration fails', () => {
  const sqlite = new BetterSqlite3(':memory:');
  migrate(sqlite, [{ name: 'one', sql: 'create table one (a)' }]);

  expect(() => {
    migrate(sqlite, [
      { name: 'one', sql: '' },
      { name: 'two', sql: 'create table two (a); insert into nowhere values (1)' },
    ]);
  }).toThrow('nowhere');

  expect(sqlite.pragma('user_version', { simple: true })).toBe(1);
  expect(sqlite.prepare('select name from sqlite_schema').pluck().all()).toEqual(['one']);
});

test('drops the triggers and tables by which earlier versions counted list revisions', async () => {
  const file = temporaryFile();
  const first = openProviderDatabase(file);
  const level = allMigrations.indexOf(dropListRevisions);
  first.sqlite.exec(`
    create table list_revisions (table_name text primary key, revision integer not null) without rowid;
    create table list_changes (table_name text, slot integer, revision integer, record_id integer);
    create trigger users_updated after update on users begin
      update list_revisions set revision = revision + 1 where table_name = 'users';
    end;
    alter table api_keys drop column prefix;
    pragma user_version = ${String(level)};
  `);
  await first.query.destroy();

  const { sqlite, query } = openProviderDatabase(file);

  const left = sqlite.prepare(`select name from sqlite_schema where type = 'trigger' or name like 'list%'`);
  expect(left.all()).toEqual([]);
  await query.destroy();
});
