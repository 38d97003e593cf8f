import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore, type SqliteStoreOptions } from '../../src/store/sqlite/open-sqlite-store.ts';
import { seededRandom } from '../../src/kernel/random.ts';
import { writeEmptyStore } from '../support/empty-store.ts';
import type { StoreKind, StorePlace } from './store-place.ts';

type Open = typeof openSqliteStore;

export const sqliteFile: StoreKind = {
  name: 'SQLite in a file',
  place: async () => emptyPlace(openSqliteStore),
};

/**
 * @param open from the build: threads load slowly from source
 * @param startThread shares threads between stores, because starting one costs more than most tests
 */
export const sqliteThread = (
  open: Open,
  startThread: NonNullable<SqliteStoreOptions['startThread']>,
): StoreKind => ({
  name: 'SQLite in a file, written and read by threads',
  place: async () => emptyPlace((options) => open({ ...options, writer: 'thread', startThread })),
});

function emptyPlace(open: Open): StorePlace {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-store-'));
  writeEmptyStore(fileIn(folder));
  return filePlace(open, folder);
}

const fileIn = (folder: string) => join(folder, 'portaria.db');

function filePlace(open: Open, folder: string): StorePlace {
  const path = fileIn(folder);
  return {
    open: (role, clock, limits) => open({ path, role, clock, random: seededRandom(1), ...limits }),
    async afterPowerFailure() {
      const copy = mkdtempSync(join(tmpdir(), 'portaria-store-'));
      // In another process: opening and closing the file here would drop SQLite's locks on it.
      execFileSync('cp', [path, `${path}-wal`, copy]);
      return filePlace(open, copy);
    },
    async remove() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
