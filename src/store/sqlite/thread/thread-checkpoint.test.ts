import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { writeAheadLog } from '../checkpoint.ts';
import { openDatabase } from '../open-database.ts';
import type { CheckpointReply } from './messages.ts';
import { createThreadCheckpoint, MOST_UNANSWERED } from './thread-checkpoint.ts';

/** Pages that a commit adds to the log, or a few more. */
const PAGES = 200;
const BYTES_OF_A_PAGE = 4_096 + 24;

/** A table, and beside it a thread that has started and never answers; this is what becomes of stopping it. */
function startSilentThread(stopped: CheckpointReply | undefined) {
  vi.useFakeTimers();
  const folder = mkdtempSync(join(tmpdir(), 'portaria-checkpoint-'));
  const database = openDatabase(join(folder, 'test.db'));
  database.exec('create table blobs (bytes)');
  const statement = database.prepare(`insert into blobs values (zeroblob(${String((PAGES - 2) * 4_092)}))`);
  const move = vi.fn();
  const stop = vi.fn(() => stopped);
  const { checkpoint } = createThreadCheckpoint(database, {
    onAnswer: () => undefined,
    startAfter: 0,
    startThread(_, { answered }) {
      answered({ failure: null });
      return { move, stop, close: () => Promise.resolve() };
    },
  });
  vi.runAllTimers();
  onTestFinished(() => {
    vi.useRealTimers();
    database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const log = writeAheadLog(database);
  return {
    database,
    log,
    checkpoint,
    move,
    stop,
    /** Commits until so many pages have been written, and tells how long the log was at most. */
    commitPages(most: number): number {
      let longest = 0;
      for (let pages = 0; pages < most; pages += PAGES) {
        statement.run();
        longest = Math.max(longest, log.state().pages);
        checkpoint();
      }
      return longest;
    },
  };
}

test('a log that the other thread does not get to is moved by the one that commits, and is begun anew', () => {
  const { database, commitPages, move, stop } = startSilentThread({ failure: null });

  const longest = commitPages(4 * MOST_UNANSWERED);

  expect(longest).toBeGreaterThanOrEqual(MOST_UNANSWERED);
  expect(longest).toBeLessThan(MOST_UNANSWERED + PAGES);
  expect(statSync(`${database.name}-wal`).size).toBeLessThan((MOST_UNANSWERED + PAGES) * BYTES_OF_A_PAGE);
  // Each time it was asked first, and had all the room to answer.
  expect(stop.mock.calls.length).toBeGreaterThanOrEqual(3);
  expect(move.mock.calls.length).toBeGreaterThanOrEqual(stop.mock.calls.length);
});

test('a pass that takes long is waited for by each commit, a second at most, and nothing is moved beside it', () => {
  const { log, commitPages, move, stop } = startSilentThread(undefined);

  const longest = commitPages(MOST_UNANSWERED + 10 * PAGES);

  expect(longest).toBeGreaterThanOrEqual(MOST_UNANSWERED + 9 * PAGES);
  expect(move).toHaveBeenCalledOnce();
  expect(stop.mock.calls.length).toBeGreaterThanOrEqual(10);
  expect(new Set(stop.mock.calls.flat())).toEqual(new Set([1_000]));
  expect(log.state().moved).toBe(0);
});

test('what a pass has failed with is told when it was waited for, and nothing is moved after it', () => {
  const failure = { code: 'SQLITE_IOERR_FSYNC', message: 'disk I/O error' };
  const { log, commitPages } = startSilentThread({ failure });

  expect(() => commitPages(2 * MOST_UNANSWERED)).toThrow(expect.objectContaining(failure));

  expect(log.state().moved).toBe(0);
});
