/** Given a file that a disk has damaged or that nobody may write: it is left unchanged, and the error says what to do. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { portaria, serve } from '../support/running-portaria.ts';
import { createWorkspace } from '../support/workspace.ts';
import { printFigures } from './kit/figures.ts';
import { fillDatabase } from './kit/filled-store.ts';
import { need } from './kit/needs.ts';
import { createSenders } from './kit/senders/senders.ts';
import { mountSmallDisk } from './kit/disk/small-disk.ts';
import { chargeBody, charges } from './kit/senders/webhooks.ts';

/** A database with 300 events and an empty write-ahead log. */
async function filledDatabase(): Promise<string> {
  const { database } = createWorkspace();
  await fillDatabase(
    database,
    Array.from({ length: 300 }, (_, number) => chargeBody(1, number)),
  );
  return database;
}

/** Starts on this database, which must fail, and leave it unchanged. */
async function expectRefusal(database: string, ...says: readonly RegExp[]): Promise<void> {
  const before = readFileSync(database);
  const { code, out, err } = await portaria(['serve'], { PORTARIA_DATABASE: database });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  for (const pattern of [/portaria\.db/, ...says]) expect(err).toMatch(pattern);
  expect(readFileSync(database).equals(before)).toBe(true);
}

test.each([
  {
    what: 'a scribbled schema',
    damage: (whole: Buffer) =>
      Buffer.concat([whole.subarray(0, 100), Buffer.alloc(4_000, 0x5a), whole.subarray(4_100)]),
  },
  { what: 'the second half cut off', damage: (whole: Buffer) => whole.subarray(0, whole.length / 2) },
])('rejects a corrupt database: $what', async ({ damage }) => {
  const database = await filledDatabase();
  writeFileSync(database, damage(readFileSync(database)));

  await expectRefusal(database, /restore a copy|another file/);
});

/** The number of an index's first page, and the bytes of a page. Every new event reads it. */
function pageOfIndex(path: string, index: string): readonly [page: number, size: number] {
  const database = new BetterSqlite3(path, { readonly: true });
  const page = database.prepare('select rootpage from sqlite_schema where name = ?').pluck().get(index);
  const size = database.pragma('page_size', { simple: true });
  database.close();
  return [Number(page), Number(size)];
}

test('ends the process when it reads a damaged page that the start did not read', async () => {
  const database = await filledDatabase();
  const whole = readFileSync(database);
  const [page, size] = pageOfIndex(database, 'events_by_subject');
  writeFileSync(database, whole.fill(0x5a, (page - 1) * size, page * size));
  const senders = createSenders([charges(1), charges(2)]);

  const running = await serve({ PORTARIA_DATABASE: database });
  await senders.sendTo(running.url);
  const { code, out } = await running.ended;

  printFigures('corrupt where a start does not look', {
    exit: String(code),
    acknowledged: senders.acknowledged.size,
  });
  expect(code).toBe(1);
  expect(out).toMatch(/portaria\.db: the file is damaged.*restore a copy.*the process ends/);
});

test('rejects a read-only database', async (context) => {
  const content = readFileSync(await filledDatabase());
  const folder = join(createWorkspace().folder, 'read-only');
  if (process.getuid?.() === 0) {
    // For root, only a mount can be read-only.
    need(context, 'mount');
    const disk = mountSmallDisk(folder, 'size=16m');
    writeFileSync(join(folder, 'portaria.db'), content);
    disk.remount('ro');
  } else {
    mkdirSync(folder);
    writeFileSync(join(folder, 'portaria.db'), content, { mode: 0o400 });
    chmodSync(folder, 0o500);
    onTestFinished(() => {
      chmodSync(folder, 0o700);
    });
  }

  await expectRefusal(join(folder, 'portaria.db'), /permissions and mount/);
});
