/** Given a database that must not be used: the start fails, leaves it unchanged, and the error says what to do. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { serve, startServe } from '../../support/running-portaria.ts';
import { createWorkspace } from '../../support/workspace.ts';
import { printFigures } from '../kit/figures.ts';
import { fillDatabase } from '../kit/filled-store.ts';
import { inspectStore } from '../kit/inspect-store.ts';
import { need } from '../kit/needs.ts';
import { createSenders } from '../kit/senders/senders.ts';
import { mountSmallDisk } from '../kit/disk/small-disk.ts';
import { chargeBody, charges } from '../kit/senders/webhooks.ts';

interface FailedStart {
  readonly code: number | null;
  readonly err: string;
}

async function failedStart(database: string): Promise<FailedStart> {
  const start = startServe({ PORTARIA_DATABASE: database });
  const served = await start.ready().then(
    () => true,
    () => false,
  );
  // A start that succeeds would not end by itself.
  start.kill('SIGKILL');
  const { code, signal, out, err } = await start.ended;
  expect({ served, signal, out }).toEqual({ served: false, signal: null, out: '' });
  return { code, err };
}

/** A database with 300 events and an empty write-ahead log. */
async function filledDatabase(): Promise<string> {
  const { database } = createWorkspace();
  await fillDatabase(
    database,
    Array.from({ length: 300 }, (_, number) => chargeBody(1, number)),
  );
  return database;
}

function expectFailure(start: FailedStart, what: string, ...patterns: readonly RegExp[]): void {
  printFigures(`rejected database, ${what}`, { exit: String(start.code) });
  expect(start.code).not.toBe(0);
  for (const pattern of patterns) expect(start.err).toMatch(pattern);
}

test.each([
  { what: 'not a database', damage: () => Buffer.from('a letter, not a database. '.repeat(400)) },
  { what: 'zeros from the start', damage: (whole: Buffer) => Buffer.alloc(whole.length) },
  {
    what: 'a scribbled schema',
    damage: (whole: Buffer) =>
      Buffer.concat([whole.subarray(0, 100), Buffer.alloc(4_000, 0x5a), whole.subarray(4_100)]),
  },
  { what: 'the second half cut off', damage: (whole: Buffer) => whole.subarray(0, whole.length / 2) },
])('rejects a corrupt database: $what', async ({ what, damage }) => {
  const database = await filledDatabase();
  const damaged = damage(readFileSync(database));
  writeFileSync(database, damaged);

  const start = await failedStart(database);

  expectFailure(start, what, /portaria\.db/, /restore a copy|another file/);
  expect(readFileSync(database).equals(damaged)).toBe(true);
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

test("rejects another program's database", async () => {
  const { folder } = createWorkspace();
  const database = join(folder, 'contacts.db');
  const other = new BetterSqlite3(database);
  other.exec("create table contacts (name); insert into contacts values ('Ana')");
  other.close();
  const before = readFileSync(database);

  const start = await failedStart(database);

  expectFailure(start, "another program's", /contacts\.db/, /PORTARIA_DATABASE/);
  expect(readFileSync(database).equals(before)).toBe(true);
});

test('rejects a database of a newer version', async () => {
  const database = await filledDatabase();
  const newer = new BetterSqlite3(database);
  newer.pragma('user_version = 999');
  newer.close();
  const before = readFileSync(database);

  const start = await failedStart(database);

  expectFailure(start, 'newer', /portaria\.db/, /newer version/, /run that version or a later one/);
  expect(readFileSync(database).equals(before)).toBe(true);
});

test('rejects a database in use by another serve, which goes on', async () => {
  const { database } = createWorkspace();
  const running = await serve({ PORTARIA_DATABASE: database });
  const senders = createSenders([charges(1), charges(2)]);
  const sending = senders.sendTo(running.url);

  const starts = await Promise.all([failedStart(database), failedStart(database)]);

  senders.stop();
  await sending;
  for (const start of starts)
    expectFailure(start, 'held', /portaria\.db/, /another running Portaria/, /stop that one/);
  const stored = await inspectStore(database, (store) => store.statistics());
  expect(stored.events).toBe(senders.acknowledged.size);
  expect([...senders.rejections]).toEqual([]);
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

  const start = await failedStart(join(folder, 'portaria.db'));

  expectFailure(start, 'read-only', /portaria\.db/, /permissions and mount/);
});
