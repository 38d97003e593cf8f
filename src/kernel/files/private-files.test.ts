import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPrivateFile, describeModes, makePrivate } from './private-files.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

/** Creates a database and files beside it, by suffix, with these modes. */
function createFiles(modes: Readonly<Record<string, number>>): string {
  const folder = temporaryFolder();
  const database = join(folder, 'some.db');
  for (const [suffix, mode] of Object.entries(modes)) {
    writeFileSync(`${database}${suffix}`, '');
    chmodSync(`${database}${suffix}`, mode);
  }
  return database;
}

const modeOf = (file: string) => statSync(file).mode & 0o777;

test('given files that only their owner can open, changes and reports nothing', () => {
  const database = createFiles({ '': 0o600, '-wal': 0o600, '.lock': 0o400 });

  expect(makePrivate(database)).toBeNull();
  expect(modeOf(`${database}.lock`)).toBe(0o400);
  expect(describeModes(database)).toEqual({
    isPrivate: true,
    text: `${database} (0600), some.db-wal (0600), some.db.lock (0400)`,
  });
});

test('given files that others can open, takes the right from them, once', () => {
  const database = createFiles({
    '': 0o644,
    '-wal': 0o600,
    '-shm': 0o640,
    '-journal': 0o604,
    '.lock': 0o666,
  });
  expect(describeModes(database)).toEqual({
    isPrivate: false,
    text:
      `${database} (0644), ${database}-shm (0640), ${database}-journal (0604), ${database}.lock (0666) can be read by others: ` +
      `chmod 600 ${database} ${database}-shm ${database}-journal ${database}.lock`,
  });

  expect(makePrivate(database)).toBe(
    `other users could open some.db (0644), some.db-shm (0640), some.db-journal (0604), some.db.lock (0666) at ${database}; now only the owner can (0600)`,
  );

  for (const suffix of ['', '-wal', '-shm', '-journal', '.lock'])
    expect(modeOf(`${database}${suffix}`)).toBe(0o600);
  expect(makePrivate(database)).toBeNull();
});

test('given a file of another user, names the user who can change it', () => {
  const database = createFiles({ '': 0o660 });

  const warning = makePrivate(database, () => {
    throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
  });

  expect(warning).toBe(
    `other users can open some.db (0660) at ${database}, and this user cannot change that: run \`chmod 600\` on it as its owner, or run Portaria as its owner`,
  );
});

test('given a file system without modes, or Windows, says where to move the file', () => {
  const database = createFiles({ '': 0o666, '-shm': 0o600 });

  expect(makePrivate(database, () => undefined)).toBe(
    `other users may be able to open some.db (0666) at ${database}, because its file system keeps no modes: move it to one that does, or let only this user into its folder`,
  );
});

test('given a file that SQLite removes in the meantime, succeeds', () => {
  const database = createFiles({ '': 0o600, '-wal': 0o644 });

  expect(
    makePrivate(database, (file) => {
      rmSync(file);
      throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
    }),
  ).toContain('now only the owner can');
});

test('creates a private file, and leaves an existing one as it is', () => {
  const database = createFiles({ '-wal': 0o644 });
  writeFileSync(`${database}-wal`, 'kept');

  createPrivateFile(database);
  createPrivateFile(`${database}-wal`);

  expect(modeOf(database)).toBe(0o600);
  expect(readFileSync(`${database}-wal`, 'utf8')).toBe('kept');
  expect(modeOf(`${database}-wal`)).toBe(0o644);
});
