import BetterSqlite3, { type Database } from 'better-sqlite3';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PortariaError } from '../../../kernel/errors.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { createBatchCommit } from './batch-commit.ts';
import { createLocalCommit } from './writer.ts';

function openCommits() {
  const database = new BetterSqlite3(join(temporaryFolder(), 'test.db'), { timeout: 0 });
  onTestFinished(() => {
    database.close();
  });
  database.pragma('journal_mode = wal');
  database.exec('create table notes (text unique)');
  const insert = database.prepare('insert into notes values (?)');
  const onFatal = vi.fn();
  const check = vi.fn();
  const part = countingPart();
  const batches = createBatchCommit(database, { location: database.name, check, onFatal, parts: [part] });
  const commits = createLocalCommit(batches, { location: 'here' });
  const note = (text: string) => commits.write(() => insert.run(text).changes);
  const notes = () => database.prepare('select text from notes order by rowid').pluck().all();
  return { database, batches, commits, note, notes, check, onFatal, part };
}

/** Counts calls in a transaction, and keeps the count when it is committed. */
function countingPart() {
  let kept = 0;
  let open = 0;
  return {
    count: () => void (open += 1),
    kept: () => kept,
    beforeCommit: vi.fn(),
    committed() {
      kept += open;
      open = 0;
    },
    undone() {
      open = 0;
    },
  };
}

/** Another process on the same file. */
function openBeside({ name }: Database): Database {
  const other = new BetterSqlite3(name);
  onTestFinished(() => {
    other.close();
  });
  return other;
}

/** Changes with each commit of another connection. */
function commitsSeenBy(database: Database): number {
  return database.pragma('data_version', { simple: true }) as number;
}

test('commits the writes of one run of the event loop in one transaction', async () => {
  const { database, note, notes, commits } = openCommits();
  const other = openBeside(database);
  const before = commitsSeenBy(other);

  const first = note('a');
  const second = note('b');
  const third = commits.write(() => {
    expect(database.inTransaction).toBe(true);
    return notes();
  });
  expect(notes()).toEqual([]);

  expect(await Promise.all([first, second, third])).toEqual([1, 1, ['a', 'b']]);
  expect(database.inTransaction).toBe(false);
  expect(commitsSeenBy(other)).toBe(before + 1);
});

test('commits a long queue in several transactions, in order', async () => {
  const { note, notes } = openCommits();
  const texts = Array.from({ length: 1_300 }, (_, index) => String(index));

  await Promise.all(texts.map(note));

  expect(notes()).toEqual(texts);
});

test('an operation that fails undoes only its own writes', async () => {
  const { database, note, notes, batches, commits, onFatal } = openCommits();
  const insert = database.prepare('insert into notes values (?)');

  const results = await Promise.allSettled([
    note('a'),
    commits.write(() => {
      insert.run('half');
      throw new PortariaError('not-found', 'no such thing');
    }),
    note('a'),
    note('b'),
  ]);

  expect(results).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 'not-found', message: 'no such thing' } },
    { status: 'rejected', reason: { code: 'store-failed', cause: { code: 'SQLITE_CONSTRAINT_UNIQUE' } } },
    { status: 'fulfilled' },
  ]);
  expect(notes()).toEqual(['a', 'b']);
  expect(batches.healthy()).toBe(true);
  expect(onFatal).not.toHaveBeenCalled();
});

test('a full disk undoes the whole transaction; writing recovers when there is room', async () => {
  const { database, note, notes, batches, commits, onFatal } = openCommits();
  await note('before');
  const pages = database.pragma('page_count', { simple: true }) as number;
  database.pragma(`max_page_count = ${String(pages)}`);

  const results = await Promise.allSettled([note('small'), note('x'.repeat(100_000)), note('after')]);

  expect(results.map((result) => result.status === 'rejected' && (result.reason as Error))).toMatchObject([
    { code: 'store-full' },
    { code: 'store-full' },
    { code: 'store-full' },
  ]);
  expect(notes()).toEqual(['before']);
  // An empty transaction commits on a full disk, too, and proves nothing.
  await commits.write(() => notes());
  expect(batches.healthy()).toBe(false);

  database.pragma('max_page_count = 100000');
  await expect(note('again')).resolves.toBe(1);
  expect(batches.healthy()).toBe(true);
  expect(onFatal).not.toHaveBeenCalled();
});

test('after a full disk a small write proves nothing while a file cannot grow; a webhook does', async () => {
  const { database, note, batches } = openCommits();
  const noRoom = () => {
    symlinkSync('/dev/full', `${database.name}.probe`);
  };
  database.pragma('max_page_count = 2');
  await expect(note('x'.repeat(100_000))).rejects.toMatchObject({ code: 'store-full' });

  database.pragma('max_page_count = 100000');
  noRoom();
  await note('small');
  expect(batches.healthy()).toBe(false);
  await note('with room');
  expect(batches.healthy()).toBe(true);

  database.pragma('max_page_count = 2');
  await expect(note('y'.repeat(100_000))).rejects.toMatchObject({ code: 'store-full' });
  database.pragma('max_page_count = 100000');
  noRoom();
  const insert = database.prepare("insert into notes values ('webhook')");
  batches.run([() => insert.run()], [false], true);
  expect(batches.healthy()).toBe(true);
});

test('a write lock of another process makes a write busy, not the store unhealthy', async () => {
  const { database, note, batches } = openCommits();
  const other = openBeside(database);
  other.exec('begin immediate');

  await expect(note('a')).rejects.toMatchObject({ code: 'store-busy' });
  expect(batches.healthy()).toBe(true);

  other.exec('rollback');
  await expect(note('a')).resolves.toBe(1);
});

test('stops writing after an I/O error, and reports it once', async () => {
  const { note, notes, batches, commits, onFatal } = openCommits();
  const fsyncFails = commits.write(() => {
    throw new BetterSqlite3.SqliteError('disk I/O error', 'SQLITE_IOERR_FSYNC');
  });
  const beside = note('a');

  await expect(fsyncFails).rejects.toMatchObject({ code: 'store-failed' });
  await expect(beside).rejects.toMatchObject({ code: 'store-failed' });
  await expect(note('b')).rejects.toMatchObject({ code: 'store-failed' });
  expect(batches.healthy()).toBe(false);
  expect(notes()).toEqual([]);
  expect(onFatal).toHaveBeenCalledOnce();
  expect(onFatal).toHaveBeenCalledWith(expect.objectContaining({ code: 'store-failed' }));
});

test('stops writing when the check of the file fails', async () => {
  const { note, notes, check, onFatal } = openCommits();
  const gone = new PortariaError('store-failed', 'gone');
  check.mockImplementationOnce(() => {
    throw gone;
  });

  await expect(note('a')).rejects.toBe(gone);
  await expect(note('b')).rejects.toBe(gone);
  expect(notes()).toEqual([]);
  expect(onFatal).toHaveBeenCalledWith(gone);
});

test('close commits pending writes and rejects later ones', async () => {
  const { note, notes, commits } = openCommits();
  const waiting = note('a');

  commits.close();

  expect(notes()).toEqual(['a']);
  await expect(waiting).resolves.toBe(1);
  await expect(note('b')).rejects.toMatchObject({ code: 'stopping' });
});

test('in-memory state ignores failed operations, and counts the others once', async () => {
  const { commits, note, part } = openCommits();

  const results = await Promise.allSettled([
    commits.write(() => part.count()),
    commits.write(() => {
      part.count();
      throw new Error('fails');
    }),
    commits.write(() => part.count()),
    note('a'),
  ]);

  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(part.kept()).toBe(2);
});

test('in-memory state follows a rollback', async () => {
  const { database, commits, part, note } = openCommits();
  const other = openBeside(database);
  other.exec('begin immediate');

  await expect(
    commits.write(() => {
      part.count();
    }),
  ).rejects.toMatchObject({ code: 'store-busy' });
  other.exec('rollback');
  await note('a');

  expect(part.kept()).toBe(0);
});

test('beforeCommit writes in the same transaction', async () => {
  const { database, commits, part, notes } = openCommits();
  part.beforeCommit.mockImplementation(() => {
    expect(database.inTransaction).toBe(true);
    database.exec("insert into notes values ('sum')");
  });

  await commits.write(() => part.count());

  expect(notes()).toEqual(['sum']);
});
