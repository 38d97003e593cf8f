import { writeAheadLog } from '../checkpoint.ts';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '../../file/open-database.ts';
import type { CheckpointReply } from './messages.ts';
import { createThreadCheckpoint, MAX_UNANSWERED } from './thread-checkpoint.ts';

/** Pages that a commit adds to the log, or a few more. */
const PAGES = 200;
const BYTES_OF_A_PAGE = 4_096 + 24;

/**
 * A table, and beside it a thread that has started and answers only when told to; `stopped` is what becomes of
 * stopping it.
 */
function startThread({ stopped }: { stopped?: CheckpointReply }) {
  vi.useFakeTimers();
  const folder = mkdtempSync(join(tmpdir(), 'portaria-checkpoint-'));
  const database = openDatabase(join(folder, 'test.db'));
  database.exec('create table blobs (bytes)');
  const statement = database.prepare(`insert into blobs values (zeroblob(${String((PAGES - 2) * 4_092)}))`);
  let answer = (): void => undefined;
  const move = vi.fn();
  const stop = vi.fn(() => stopped);
  const disk = { room: 1e9 };
  const log = writeAheadLog(database);
  const { runIfDue: whenDue, makeRoom } = createThreadCheckpoint(database, {
    free: () => disk.room,
    onAnswer: () => undefined,
    startAfter: 0,
    startThread(_, { answered }) {
      answer = () => {
        answered({ failure: null });
      };
      answer();
      return { move, stop, close: () => Promise.resolve() };
    },
  });
  vi.runAllTimers();
  onTestFinished(() => {
    vi.useRealTimers();
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    database,
    disk,
    log,
    makeRoom,
    move,
    stop,
    whenDue,
    /** In the thread's stead: the pass has gone well. */
    answer() {
      answer();
    },
    /** Commits until so many pages have been written, and tells how long the log was at most. */
    commitPages(most: number): number {
      let longest = 0;
      for (let pages = 0; pages < most; pages += PAGES) {
        statement.run();
        longest = Math.max(longest, log.state().pages);
        whenDue();
      }
      return longest;
    },
  };
}

test('the other thread is given little at a time, and the log is begun anew when it is long', () => {
  const { database, log, whenDue, move, answer } = startThread({});
  const insert = database.prepare('insert into blobs values (zeroblob(40 * 4092))');
  const reader = new BetterSqlite3(database.name);
  onTestFinished(() => {
    reader.close();
  });
  const given: number[] = [];
  let longest = 0;

  for (let count = 0; count < 200; count += 1) {
    insert.run();
    whenDue();
    if (move.mock.calls.length === given.length) continue;
    const { pages, copied: moved } = log.state();
    given.push(pages - moved);
    // What is committed while the pass is under way waits for the next: as if it were behind what is read.
    reader.exec('begin; select count(*) from blobs');
    insert.run();
    longest = Math.max(longest, log.state().pages);
    log.copy();
    reader.exec('commit');
    answer();
    whenDue();
  }

  expect(given.length).toBeGreaterThan(20);
  expect(Math.max(...given)).toBeLessThan(300);
  expect(longest).toBeGreaterThan(1_000);
  expect(longest).toBeLessThan(1_300);
});

test('a log that the other thread does not get to is moved by the one that commits, and is begun anew', () => {
  const { database, commitPages, move, stop } = startThread({ stopped: { failure: null } });

  const longest = commitPages(4 * MAX_UNANSWERED);

  expect(longest).toBeGreaterThanOrEqual(MAX_UNANSWERED);
  expect(longest).toBeLessThan(MAX_UNANSWERED + PAGES);
  expect(statSync(`${database.name}-wal`).size).toBeLessThan((MAX_UNANSWERED + PAGES) * BYTES_OF_A_PAGE);
  // Each time it was asked first, and had all the room to answer.
  expect(stop.mock.calls.length).toBeGreaterThanOrEqual(3);
  expect(move.mock.calls.length).toBeGreaterThanOrEqual(stop.mock.calls.length);
});

test('a pass that takes long is waited for by each commit, a second at most, and nothing is moved beside it', () => {
  const { log, commitPages, move, stop } = startThread({});

  const longest = commitPages(MAX_UNANSWERED + 10 * PAGES);

  expect(longest).toBeGreaterThanOrEqual(MAX_UNANSWERED + 9 * PAGES);
  expect(move).toHaveBeenCalledOnce();
  expect(stop.mock.calls.length).toBeGreaterThanOrEqual(10);
  expect(new Set(stop.mock.calls.flat())).toEqual(new Set([1_000]));
  expect(log.state().copied).toBe(0);
});

test('what a pass has failed with is told when it was waited for, and nothing is moved after it', () => {
  const failure = { code: 'SQLITE_IOERR_FSYNC', message: 'disk I/O error' };
  const { log, commitPages } = startThread({ stopped: { failure } });

  expect(() => commitPages(2 * MAX_UNANSWERED)).toThrow(expect.objectContaining(failure));

  expect(log.state().copied).toBe(0);
});

test('where the disk has little room the other thread is not asked: the log is kept short', () => {
  const { disk, commitPages, move } = startThread({ stopped: { failure: null } });
  disk.room = 1e6;

  expect(commitPages(4_000)).toBeLessThan(2 * PAGES);

  expect(move).not.toHaveBeenCalled();
});

test('on a full disk the log is moved here, once the other thread is stopped', () => {
  const { database, log, commitPages, makeRoom, move, stop } = startThread({ stopped: { failure: null } });
  commitPages(2_000);
  expect(move).toHaveBeenCalledOnce();

  expect(makeRoom()).toBe(true);

  expect(stop).toHaveBeenCalledOnce();
  expect(log.state()).toEqual({ pages: 0, copied: 0 });
  expect(statSync(`${database.name}-wal`).size).toBe(0);
});

test('on a full disk nothing is moved beside a pass of the other thread', () => {
  const { log, commitPages, makeRoom } = startThread({});
  commitPages(2_000);

  expect(makeRoom()).toBe(false);

  expect(log.state().copied).toBe(0);
});

test('a pass for which there was no room is made up for here, and is no failure then', () => {
  const { log, commitPages, makeRoom } = startThread({
    stopped: { failure: { code: 'SQLITE_FULL', message: 'database or disk is full' } },
  });
  commitPages(2_000);

  expect(makeRoom()).toBe(true);

  expect(log.state().pages).toBe(0);
});
