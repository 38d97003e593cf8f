/** Databases that must not be used: refused at the start, left as they are, and the message says what to do. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { serve, startServe } from '../support/running-portaria.ts';
import { workshop } from '../support/workshop.ts';
import { printFigures } from './kit/figures.ts';
import { fillDatabase } from './kit/filled-store.ts';
import { inspectStore } from './kit/inspect-store.ts';
import { need } from './kit/needs.ts';
import { createSenders } from './kit/senders.ts';
import { mountSmallDisk } from './kit/small-disk.ts';
import { chargeBody, charges } from './kit/webhooks.ts';

/** What a refusal takes, in milliseconds. Generous: the point is that it does not wait for anything. */
const SOON_MS = 15_000;

interface Refusal {
  readonly code: number | null;
  readonly err: string;
  readonly ms: number;
}

async function refusalOf(database: string): Promise<Refusal> {
  const began = performance.now();
  const start = startServe({ PORTARIA_DATABASE: database });
  const served = await start.ready().then(
    () => true,
    () => false,
  );
  // One that is not refused would not end.
  start.kill('SIGKILL');
  const { code, signal, out, err } = await start.ended;
  expect({ served, signal, out }).toEqual({ served: false, signal: null, out: '' });
  return { code, err, ms: Math.round(performance.now() - began) };
}

/** A store with a few hundred events, nothing left in its log. */
async function filledDatabase(): Promise<string> {
  const { database } = workshop();
  await fillDatabase(
    database,
    Array.from({ length: 300 }, (_, turn) => chargeBody(1, turn)),
  );
  return database;
}

function expectRefusal(refusal: Refusal, what: string, ...says: readonly RegExp[]): void {
  printFigures(`refused, ${what}`, { exit: String(refusal.code), ms: refusal.ms });
  expect(refusal.code).not.toBe(0);
  for (const words of says) expect(refusal.err).toMatch(words);
  expect(refusal.ms).toBeLessThan(SOON_MS);
}

test.each([
  { what: 'no database at all', damage: () => Buffer.from('a letter, not a database. '.repeat(400)) },
  { what: 'zeros from the start', damage: (whole: Buffer) => Buffer.alloc(whole.length) },
  {
    what: 'a scribbled schema',
    damage: (whole: Buffer) =>
      Buffer.concat([whole.subarray(0, 100), Buffer.alloc(4_000, 0x5a), whole.subarray(4_100)]),
  },
  { what: 'the second half cut off', damage: (whole: Buffer) => whole.subarray(0, whole.length / 2) },
])('corrupt: $what', async ({ what, damage }) => {
  const database = await filledDatabase();
  const damaged = damage(readFileSync(database));
  writeFileSync(database, damaged);

  const refusal = await refusalOf(database);

  expectRefusal(refusal, what, /portaria\.db/, /restore a copy|another file/);
  expect(readFileSync(database).equals(damaged)).toBe(true);
});

test('corrupt where a start does not look: the process ends when it comes across it', async () => {
  const database = await filledDatabase();
  const whole = readFileSync(database);
  writeFileSync(database, whole.fill(0x5a, (whole.length * 3) / 4));
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

test("another program's database", async () => {
  const { folder } = workshop();
  const database = join(folder, 'contacts.db');
  const other = new BetterSqlite3(database);
  other.exec("create table contacts (name); insert into contacts values ('Ana')");
  other.close();
  const before = readFileSync(database);

  const refusal = await refusalOf(database);

  expectRefusal(refusal, "another program's", /contacts\.db/, /PORTARIA_DATABASE/);
  expect(readFileSync(database).equals(before)).toBe(true);
});

test('from a newer version', async () => {
  const database = await filledDatabase();
  const newer = new BetterSqlite3(database);
  newer.pragma('user_version = 999');
  newer.close();
  const before = readFileSync(database);

  const refusal = await refusalOf(database);

  expectRefusal(refusal, 'newer', /portaria\.db/, /newer version/, /run that version or a later one/);
  expect(readFileSync(database).equals(before)).toBe(true);
});

test('held by another serve, which goes on undisturbed', async () => {
  const { database } = workshop();
  const running = await serve({ PORTARIA_DATABASE: database });
  const senders = createSenders([charges(1), charges(2)]);
  const sending = senders.sendTo(running.url);

  const refusals = await Promise.all([refusalOf(database), refusalOf(database)]);

  senders.stop();
  await sending;
  for (const refusal of refusals)
    expectRefusal(refusal, 'held', /portaria\.db/, /another running Portaria/, /stop that one/);
  const stored = await inspectStore(database, (store) => store.statistics());
  expect(stored.events).toBe(senders.acknowledged.size);
  expect([...senders.refusals]).toEqual([]);
});

test('read-only', async (context) => {
  const content = readFileSync(await filledDatabase());
  const folder = join(workshop().folder, 'read-only');
  if (process.getuid?.() === 0) {
    // For root nothing is read-only but a mount.
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

  const refusal = await refusalOf(join(folder, 'portaria.db'));

  expectRefusal(refusal, 'read-only', /portaria\.db/, /permissions and mount/);
});
