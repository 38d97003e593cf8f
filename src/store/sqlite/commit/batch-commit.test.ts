import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { createBatchCommit } from './batch-commit.ts';
import { openDatabase } from '../file/open-database.ts';

/** Opens a table in a file that must not grow, with a function that makes room. */
function openFullFile(makeRoom: (letGrow: () => void) => boolean, hasReserve = false) {
  const database = openDatabase(join(temporaryFolder(), 'test.db'));
  onTestFinished(() => {
    database.close();
  });
  database.exec('create table blobs (bytes)');
  database.pragma('max_page_count = 3');
  const part = { committed: vi.fn(), undone: vi.fn() };
  const checkpoint = {
    runIfDue: () => undefined,
    makeRoom: vi.fn(() => makeRoom(() => database.pragma('max_page_count = 1000'))),
  };
  let isGivenUp = false;
  const reserve = {
    look: () => undefined,
    giveUp() {
      isGivenUp = true;
      database.pragma('max_page_count = 1000');
    },
    isGivenUp: () => isGivenUp,
  };
  const batches = createBatchCommit(database, {
    location: 'here',
    check: () => undefined,
    onFatal: () => undefined,
    ...(hasReserve && { reserve }),
    parts: [part],
    checkpoint,
  });
  const insert = database.prepare('insert into blobs values (zeroblob(?))');
  return {
    batches,
    part,
    makeRoom: checkpoint.makeRoom,
    insert,
    write: () => batches.run([4, 40_000, 4].map((bytes) => () => insert.run(bytes).changes)),
    rows: () => database.prepare('select count(*) from blobs').pluck().get(),
  };
}

test('retries a transaction once after making room', () => {
  const { batches, part, makeRoom, write, rows } = openFullFile((letGrow) => {
    letGrow();
    return true;
  });

  expect(write()).toEqual([{ value: 1 }, { value: 1 }, { value: 1 }]);

  expect(rows()).toBe(3);
  expect(makeRoom).toHaveBeenCalledOnce();
  expect(part.undone).toHaveBeenCalledOnce();
  expect(part.committed).toHaveBeenCalledOnce();
  expect(batches.healthy()).toBe(true);
});

test('the reserve is for operations with the right to it, and not for others of their batch', () => {
  const { batches, insert, rows } = openFullFile(() => false, true);
  const grow = () => insert.run(40_000).changes;

  const outcomes = batches.run([grow, grow], [false, true]);

  expect(outcomes).toMatchObject([{ error: { code: 'store-full' } }, { value: 1 }]);
  expect(rows()).toBe(1);
});

test('stores nothing if it cannot make enough room', () => {
  for (const made of [true, false]) {
    const { batches, part, makeRoom, write, rows } = openFullFile(() => made);

    for (const outcome of write()) expect(outcome).toMatchObject({ error: { code: 'store-full' } });

    expect(rows()).toBe(0);
    expect(makeRoom).toHaveBeenCalledOnce();
    expect(part.committed).not.toHaveBeenCalled();
    expect(batches.healthy()).toBe(false);
    expect(batches.fatal()).toBeUndefined();
  }
});

test('stops writing when a sync fails while making room', () => {
  const { batches, write } = openFullFile(() => {
    throw new BetterSqlite3.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC');
  });

  write();

  expect(batches.fatal()).toMatchObject({ code: 'store-failed' });
});
