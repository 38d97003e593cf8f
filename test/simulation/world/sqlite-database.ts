/** A file of SQLite in memory, whose commits fail as the simulated disk wants. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.ts';
import { writeEmptyStore } from '../../support/empty-store.ts';
import { roomInMemory } from '../../support/room-in-memory.ts';
import { openRows } from '../checker/rows.ts';
import type { Database, DatabaseHost } from './database.ts';
import { simulateDisk } from './disk-faults.ts';

export function openSqliteDatabase(host: DatabaseHost): Database {
  const folder = mkdtempSync(join(roomInMemory() ?? tmpdir(), 'portaria-simulation-'));
  const path = join(folder, 'portaria.db');
  const { disk, restore } = simulateDisk(
    () => {
      host.die();
    },
    () => host.isDead(),
  );
  writeEmptyStore(path);
  // The reserve of a real disk would be four megabytes of each store.
  writeFileSync(`${path}.reserve`, 'x');
  const rows = openRows(path);
  return {
    ...{ rows, disk, address: path },
    openGuest: (clock) => openSqliteStore({ path, role: 'guest', clock, writer: 'local' }),
    close() {
      rows.close();
      restore();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
