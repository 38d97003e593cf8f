import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describeModes, keepPrivate } from './keep-private.ts';

/** A database and what lies beside it, with the modes given. */
function files(modes: Readonly<Record<string, number>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-modes-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const database = join(folder, 'some.db');
  for (const [suffix, mode] of Object.entries(modes)) {
    writeFileSync(`${database}${suffix}`, '');
    chmodSync(`${database}${suffix}`, mode);
  }
  return database;
}

const modeOf = (file: string) => statSync(file).mode & 0o777;

test('given files that only their owner can open, nothing is changed or said', () => {
  const database = files({ '': 0o600, '-wal': 0o600, '.lock': 0o400 });

  expect(keepPrivate(database)).toBeNull();
  expect(modeOf(`${database}.lock`)).toBe(0o400);
  expect(describeModes(database)).toEqual({
    isPrivate: true,
    text: `${database} (0600), some.db-wal (0600), some.db.lock (0400)`,
  });
});

test('given files that others can open, the right is taken from them, once', () => {
  const database = files({ '': 0o644, '-wal': 0o600, '-shm': 0o640, '-journal': 0o604, '.lock': 0o666 });
  expect(describeModes(database)).toEqual({
    isPrivate: false,
    text:
      `${database} (0644), ${database}-shm (0640), ${database}-journal (0604), ${database}.lock (0666) can be read by others: ` +
      `chmod 600 ${database} ${database}-shm ${database}-journal ${database}.lock`,
  });

  expect(keepPrivate(database)).toBe(
    `other users could open some.db (0644), some.db-shm (0640), some.db-journal (0604), some.db.lock (0666) at ${database}; now only the owner can (0600)`,
  );

  for (const suffix of ['', '-wal', '-shm', '-journal', '.lock'])
    expect(modeOf(`${database}${suffix}`)).toBe(0o600);
  expect(keepPrivate(database)).toBeNull();
});

test('given a file of another user, it says who can change it', () => {
  const database = files({ '': 0o660 });

  const warning = keepPrivate(database, () => {
    throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
  });

  expect(warning).toBe(
    `other users can open some.db (0660) at ${database}, and this user cannot change that: run \`chmod 600\` on it as its owner, or run Portaria as its owner`,
  );
});

test('given a file system without modes, or Windows, it says where to put the file', () => {
  const database = files({ '': 0o666, '-shm': 0o600 });

  expect(keepPrivate(database, () => undefined)).toBe(
    `other users may be able to open some.db (0666) at ${database}, because its file system keeps no modes: move it to one that does, or let only this user into its folder`,
  );
});

test('given a file that SQLite removes meanwhile, it is no trouble', () => {
  const database = files({ '': 0o600, '-wal': 0o644 });

  expect(
    keepPrivate(database, (file) => {
      rmSync(file);
      throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
    }),
  ).toContain('now only the owner can');
});
