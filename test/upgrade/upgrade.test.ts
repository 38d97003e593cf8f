/** Given an SQLite file of a released version, each way of docs/upgrade.md keeps what it holds. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { done, expectGoesOn, expectKept, releasedFile, told, versions } from './released.ts';

describe.each(versions)('a file of %s', (version) => {
  test('is migrated where it is by doctor, and goes on', async () => {
    const { database } = releasedFile(version);
    expect(await done(database, 'doctor', '--json')).toContain('{"name":"schema","ok":true');
    await expectKept(database, version, 'sqlite');
    await expectGoesOn(database, version);
  });

  test('is a backup that brings it back, and what arrived since comes after it', async () => {
    const { database, folder } = releasedFile(version);
    const [backup = '', since = ''] = ['before.db', 'since.ndjson'].map((name) => join(folder, name));
    copyFileSync(database, backup);
    await expectGoesOn(database, version);
    await done(database, 'events', 'export', '--file', since);

    await done(database, 'restore', backup, '--yes');
    await expectKept(database, version, 'sqlite');
    await done(database, 'events', 'import', since, '--no-handlers');

    const [events, before] = await Promise.all(
      [database, backup].map((each) => told(each, 'events', 'list', '--limit', 'all')),
    );
    expect(events!.slice(0, -before!.length)).toMatchObject([{ subject: 'charge:4711' }]);
  });
});
