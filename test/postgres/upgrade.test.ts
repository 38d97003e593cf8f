/** Given data of a released version, each way of docs/upgrade.md and docs/scale.md on PostgreSQL keeps what it holds. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createWorkspace } from '../support/workspace.ts';
import * as released from '../upgrade/released.ts';
import { connected, emptyDatabase } from './kit/empty-database.ts';

const { done, told, expectKept, expectGoesOn } = released;

async function releasedDatabase(version: string): Promise<string> {
  const database = await emptyDatabase();
  await (await connected(database)).query(released.releasedSql(version));
  return database;
}

describe.each(released.versions)('data of %s', (version) => {
  test('in a database is migrated where it is, and goes on', async () => {
    const database = await releasedDatabase(version);
    await expectKept(database, version, 'postgres');
    await expectGoesOn(database, version);
  });

  test('in a file is copied into a database, and goes on', async () => {
    const database = await emptyDatabase();
    await done(database, 'store', 'copy', '--from', released.releasedFile(version).database);
    await expectKept(database, version, 'sqlite');
    await expectGoesOn(database, version);
  });

  test('in a database is exported, and imported into a file, and machines fold it again', async () => {
    const before = await releasedDatabase(version);
    const { database, folder } = createWorkspace();
    const file = join(folder, 'events.ndjson');
    await done(before, 'events', 'export', '--file', file);
    await done(database, 'events', 'import', '--no-handlers', file);
    await done(database, 'machines', 'rebuild');
    for (const [list, ...columns] of [
      ['events', 'subject', 'kind', 'version'],
      ['machines', 'subject', 'phases'],
    ] as const) {
      const expected = await told(before, list, 'list');
      const pick = (row: object) => Object.fromEntries(columns.map((name) => [name, Reflect.get(row, name)]));
      expect((await told(database, list, 'list')).map(pick)).toEqual(expected.map(pick));
    }
  });
});
