/** The checks of `doctor` that fail. */
import BetterSqlite3 from 'better-sqlite3';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { manualClock } from '../../../testing/manual-clock.ts';
import { openSqliteStore } from '../open-sqlite-store.ts';

async function openedStore() {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-check-'));
  const path = join(folder, 'portaria.db');
  const store = await openSqliteStore({ path, role: 'guest', clock: manualClock() });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { store, path };
}

/** Opens the file like another process. */
function openBeside(path: string) {
  const database = new BetterSqlite3(path);
  onTestFinished(() => void database.close());
  return database;
}

test('reports a file that other users can read', async () => {
  const { store, path } = await openedStore();
  chmodSync(path, 0o644);

  expect(await store.checks()).toContainEqual(
    expect.objectContaining({
      name: 'file',
      ok: false,
      detail: `${path} (0644) can be read by others: chmod 600 ${path}`,
    }),
  );
});

test('reports a long log that a reader keeps from being checkpointed', async () => {
  const { store, path } = await openedStore();
  const reader = openBeside(path);
  reader.exec('begin; select * from sqlite_schema');
  const writer = openBeside(path);
  writer.exec('create table filler (content); insert into filler values (zeroblob(90000000))');

  expect(await store.checks()).toContainEqual(
    expect.objectContaining({
      name: 'write-ahead log',
      ok: false,
      detail: `86 MiB wait for a checkpoint: another process holds a long read transaction; find it with \`fuser ${path}\` and end it`,
    }),
  );

  reader.exec('commit');
  writer.pragma('wal_checkpoint(passive)');
  expect(await store.checks()).toContainEqual(
    expect.objectContaining({
      name: 'write-ahead log',
      ok: true,
      detail: '0 MiB wait for a checkpoint',
    }),
  );
});
