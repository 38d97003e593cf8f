import { mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import BetterSqlite3 from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../../src/store/sqlite/file/open-database.ts';
import type * as FromSource from '../../src/store/sqlite/commit/thread/thread-checkpoint.ts';
import { writeAheadLog } from '../../src/store/sqlite/commit/checkpoint.ts';
import { eventually } from '../support/eventually.ts';

const built = new URL('../../dist/src/store/sqlite/commit/thread/thread-checkpoint.js', import.meta.url).href;
const { createThreadCheckpoint, MAX_UNANSWERED } = (await import(built)) as typeof FromSource;

/** Pages that a commit adds to the log, or a few more. */
const PAGES = 100;

/** A table, and the other thread at its work, unless it is not to start. */
async function startCheckpoints({ thread = true } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-checkpoint-'));
  const database = openDatabase(join(folder, 'test.db'));
  database.exec('create table blobs (bytes)');
  const statement = database.prepare(`insert into blobs values (zeroblob(${String(PAGES * 4_000)}))`);
  const insert = () => void statement.run();
  /** What moving the log has failed with. */
  const told: unknown[] = [];
  const onAnswer = vi.fn(() => {
    try {
      runIfDue();
    } catch (error) {
      told.push(error);
    }
  });
  const options = { onAnswer, startAfter: thread ? 0 : 60_000 };
  const { runIfDue, close } = createThreadCheckpoint(database, options);
  onTestFinished(async () => {
    await close();
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  if (thread) await eventually('the thread has started', () => onAnswer.mock.calls.length > 0 || undefined);
  const log = writeAheadLog(database);
  return {
    database,
    log,
    told,
    /** Gives the other thread time for a pass on a busy machine too; what it says of it is not heard meanwhile. */
    letOtherMove(mostMs = 100) {
      const { copied: moved } = log.state();
      const sleeper = new Int32Array(new SharedArrayBuffer(4));
      for (let ms = 0; ms < mostMs && log.state().copied === moved; ms += 1) Atomics.wait(sleeper, 0, 0, 1);
    },
    insert,
    runIfDue,
    commit() {
      insert();
      runIfDue();
    },
    waiting: () => log.state().pages - log.state().copied,
  };
}

test('what gathers is moved by the other thread while commits go on, and the log is begun anew', async () => {
  const { database, log, commit, runIfDue, waiting, letOtherMove } = await startCheckpoints();
  let longest = 0;
  let begunAnew = 0;

  for (let count = 0, before = 0; count < 300; count += 1) {
    commit();
    const { pages } = log.state();
    if (pages < before) begunAnew += 1;
    before = pages;
    longest = Math.max(longest, pages);
    if (pages > 4_000) letOtherMove(1_000);
    await turn();
  }

  expect(longest).toBeGreaterThan(1_000);
  expect(longest).toBeLessThan(8_000 + 2 * PAGES);
  expect(begunAnew).toBeGreaterThan(1);
  expect(statSync(`${database.name}-wal`).size).toBeLessThan((8_000 + 2 * PAGES) * 4_120);
  // A pass that found the log in use has moved nothing: the next commit asks for another.
  await eventually('little waits', () => {
    runIfDue();
    return waiting() < 1_000 || undefined;
  });
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
});

test('a log whose rest is never little is moved by the thread that commits, once it is long', async () => {
  const { log, commit, letOtherMove } = await startCheckpoints();
  let longest = 0;

  // The loop turns seldom: whatever the other thread says is heard after a thousand pages more.
  for (let count = 0; count < 60; count += 1) {
    for (let pages = 0; pages < 1_000; pages += PAGES) commit();
    longest = Math.max(longest, log.state().pages);
    letOtherMove();
    await turn();
  }

  expect(longest).toBeLessThan(12_000);
});

test('a log whose writer never hears the other thread is no longer than it may be', async () => {
  const { database, log, commit } = await startCheckpoints();
  let longest = 0;

  // The loop does not turn at all.
  for (let pages = 0; pages < 4 * MAX_UNANSWERED; pages += PAGES) {
    commit();
    longest = Math.max(longest, log.state().pages);
  }

  expect(longest).toBeLessThan(MAX_UNANSWERED + 2 * PAGES);
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
});

test('a slow reader holds the log up only as long as it reads', async () => {
  const { database, log, commit, waiting } = await startCheckpoints();
  const reader = new BetterSqlite3(database.name);
  onTestFinished(() => {
    reader.close();
  });
  commit();
  reader.exec('begin; select count(*) from blobs');
  for (let count = 0; count < 20; count += 1) {
    commit();
    await turn();
  }
  expect(waiting()).toBeGreaterThan(1_500);

  reader.exec('commit');

  // The pass that the other thread may be at knows nothing of that yet: a commit after it asks for another.
  await eventually('the log is begun anew', () => {
    commit();
    return log.state().pages < 2 * PAGES || undefined;
  });
});

test('what the other thread fails with is told by the next call, once, and nothing counts as moved', async () => {
  const { database, log, runIfDue, insert, told } = await startCheckpoints();
  for (let pages = 0; pages < 1_000; pages += PAGES) insert();
  // What the other thread is to read is gone.
  truncateSync(`${database.name}-wal`, 0);

  runIfDue();

  const failure = await eventually('it is told', () => told[0]);
  expect(failure).toMatchObject({ code: 'SQLITE_IOERR_SHORT_READ' });
  expect(told).toHaveLength(1);
  expect(log.state().copied).toBe(0);
});

test('as long as there is no other thread, a few pages at a time are moved by the one that commits', async () => {
  const { commit, log } = await startCheckpoints({ thread: false });
  let longest = 0;
  for (let count = 0; count < 30; count += 1) {
    commit();
    longest = Math.max(longest, log.state().pages);
  }

  expect(longest).toBeLessThan(256 + 2 * PAGES);
});
