/** SQLite, in memory or in a file, whose commits fail as the simulated disk wants. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { IN_MEMORY } from '../../../src/store/sqlite/file/open-database.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.ts';
import { emptyStore, writeEmptyStore } from '../../support/empty-store.ts';
import { roomInMemory } from '../../support/room-in-memory.ts';
import { openRows } from '../checker/rows.ts';
import type { Database, DatabaseHost } from './database.ts';
import { simulateDisk } from './disk-faults.ts';
import { shareMemory } from './lasting-memory.ts';

/** A file in a file system in memory, with its lock, its log and its reserve. */
export function openFile(host: DatabaseHost): Database {
  const folder = mkdtempSync(join(roomInMemory() ?? tmpdir(), 'portaria-simulation-'));
  const path = join(folder, 'portaria.db');
  writeEmptyStore(path);
  // The reserve of a real disk would be four megabytes of each store.
  writeFileSync(`${path}.reserve`, 'x');
  const looking = new BetterSqlite3(path, { readonly: true });
  return assemble(host, path, looking, () => {
    rmSync(folder, { recursive: true, force: true });
  });
}

/** No file: three times as fast. */
export function openMemory(host: DatabaseHost): Database {
  const memory = shareMemory(emptyStore());
  return assemble(host, IN_MEMORY, memory.connect(), () => {
    memory.close();
  });
}

function assemble(
  host: DatabaseHost,
  path: string,
  looking: BetterSqlite3.Database,
  close: () => void,
): Database {
  const { disk, restore } = simulateDisk(
    () => {
      host.die();
    },
    () => host.isDead(),
  );
  const rows = openRows(looking);
  return {
    ...{ rows, disk, address: path },
    openGuest: (clock) => openSqliteStore({ path, role: 'guest', clock, writer: 'local' }),
    close() {
      looking.close();
      restore();
      close();
    },
  };
}
