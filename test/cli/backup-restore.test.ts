import { linkSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { acquireExclusiveLock } from '../../src/kernel/files/exclusive-lock.ts';
import { seededRandom } from '../../src/kernel/random.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts';
import { restore } from '../../src/store/sqlite/copies/restore.ts';
import { cliEnvironment, company, violation } from './kit/cli-environment.ts';

async function cliWithBackup() {
  const cli = cliEnvironment();
  await cli.seed([violation(1), violation(2), company(12, '2026-11-02T00:00:00Z')]);
  const { code, rows } = await cli.run('backup', 'copy.db', '--json');
  expect(code).toBe(0);
  return { ...cli, copy: join(cli.folder, 'copy.db'), backup: rows[0]! };
}

const ids = (rows: readonly Record<string, unknown>[]) => rows.map(({ id }) => String(id));

describe('backup', () => {
  test('writes a private, complete file beside an open store, and says what is in it', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1), violation(2)]);

    await cli.withStore(async (store) => {
      const { code, out } = await cli.run('backup', 'copy.db');
      expect(code).toBe(0);
      expect(out).toMatch(/events +2/);
      expect(out).toContain(store.storeId);
    });

    const copy = join(cli.folder, 'copy.db');
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(readdirSync(cli.folder).filter((name) => name.startsWith('copy.db'))).toEqual(['copy.db']);
    const listed = await cli.run('--database', copy, 'events', 'list', '--json');
    expect(ids(listed.rows)).toEqual(ids((await cli.run('events', 'list', '--json')).rows));
  });

  test('contains what is still in the write-ahead log, and nothing that comes later', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1)]);
    await cli.withStore(async (store) => {
      await store.recordPruning({ nextRunAt: 7 });
      expect((await cli.run('backup', 'copy.db')).code).toBe(0);
      await store.recordPruning({ nextRunAt: 8 });
    });
    const copy = join(cli.folder, 'copy.db');
    const stats = await cli.run('--database', copy, 'stats', '--json');
    expect(stats.rows).toMatchObject([{ retention: { next_run_at: '1970-01-01T00:00:00.007Z' } }]);
  });

  test('replaces an existing file only with --force', async () => {
    const { run, copy } = await cliWithBackup();
    writeFileSync(copy, 'precious');

    expect(await run('backup', 'copy.db')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--force') as string,
    });
    expect(readFileSync(copy, 'utf8')).toBe('precious');
    expect((await run('backup', 'copy.db', '--force')).code).toBe(0);
    expect(statSync(copy).size).toBeGreaterThan(10_000);
  });

  test('never overwrites the database, and leaves no part behind when it fails', async () => {
    const cli = await cliWithBackup();
    expect((await cli.run('backup', 'portaria.db', '--force')).err).toContain('belongs to the database');
    expect((await cli.run('backup', 'portaria.db-wal', '--force')).code).toBe(2);
    expect((await cli.run('backup', 'missing/copy.db')).err).toContain('there is no folder for it');
    expect(readdirSync(cli.folder).filter((name) => name.includes('.part'))).toEqual([]);
  });

  test('removes what a killed backup or restore has left in the folder, and nothing of one that runs', async () => {
    const cli = await cliWithBackup();
    const dead = 'monday.db.0123456789ab.part';
    const alive = 'tuesday.db.ba9876543210.part';
    for (const name of [dead, `${dead}-journal`, `${dead}.making`, alive, 'export.ndjson.0123456789ab.part'])
      writeFileSync(join(cli.folder, name), '');
    const release = acquireExclusiveLock(join(cli.folder, `${alive}.making`));

    expect(await cli.run('backup', 'wednesday.db')).toMatchObject({ code: 0 });

    release();
    expect(
      readdirSync(cli.folder)
        .filter((name) => name.includes('.part'))
        .toSorted(),
    ).toEqual(['export.ndjson.0123456789ab.part', alive, `${alive}.making`]);
  });
});

describe('restore', () => {
  test('puts the backup in place, keeps the old file, and says what the backup lacks', async () => {
    const cli = await cliWithBackup();
    cli.clock.wall += 60_000;
    await cli.seed([violation(3)]);

    const { code, out, err } = await cli.run('restore', 'copy.db', '--yes');

    expect(code).toBe(0);
    expect(out).toMatch(/events +3/);
    const aside = join(
      cli.folder,
      readdirSync(cli.folder).find((name) => name.includes('.before-restore-'))!,
    );
    expect(aside).toContain('.before-restore-20261121T');
    expect(err).toContain('The replaced file has 1 event of that time');
    expect(err).toContain(`portaria --database ${aside} events export`);
    expect((await cli.run('events', 'list', '--json')).rows).toHaveLength(3);
    expect((await cli.run('--database', aside, 'events', 'list', '--json')).rows).toHaveLength(4);
    expect(statSync(cli.database).mode & 0o777).toBe(0o600);
    expect((await cli.run('doctor', '--json')).rows.filter(({ ok }) => ok !== true)).toEqual([]);

    // The printed remedy.
    const since = /--since (\S+)/.exec(err)?.[1] ?? '';
    const exported = await cli.run(
      ...['--database', aside, 'events', 'export', '--since', since, '--file', 'gap.ndjson'],
    );
    expect(exported.err).toContain('1 event exported.');
    const imported = await cli.run('events', 'import', 'gap.ndjson');
    expect(imported.err).toContain('1 accepted');
    expect((await cli.run('stats', '--json')).rows).toMatchObject([{ events: 4, repeats: 0 }]);
  });

  test('events of the backup keep their ids, and no id is given out again', async () => {
    const cli = await cliWithBackup();
    await cli.seed([violation(3)]);
    const before = ids((await cli.run('events', 'list', '--json')).rows);

    await cli.run('restore', 'copy.db', '--yes');
    await cli.seed([violation(4)]);

    const after = ids((await cli.run('events', 'list', '--json')).rows);
    expect(after.slice(1)).toEqual(before.slice(1));
    expect(before).not.toContain(after[0]);
    expect(after[0]).toMatch(/-4$/);
    // By every id that was ever given out: found, or said to be unknown.
    for (const id of after)
      expect((await cli.run('events', 'show', id, '--json')).rows).toMatchObject([{ id }]);
    expect((await cli.run('events', 'show', before[0]!)).code).toBe(3);

    // Also after a second restore of the same file.
    await restore({ ...restoring(cli), random: seededRandom(3) });
    await cli.seed([violation(5)]);
    const [newest, ...others] = ids((await cli.run('events', 'list', '--json')).rows);
    expect(others).toEqual(before.slice(1));
    expect([...before, ...after]).not.toContain(newest);
  });

  test('creates a database where there is none, without asking', async () => {
    const cli = await cliWithBackup();
    const other = join(cli.folder, 'elsewhere', 'portaria.db');
    const { code, out } = await cli.run('--database', other, 'restore', 'copy.db');
    expect(code).toBe(0);
    expect(out).toMatch(/replaced file +none/);
    expect((await cli.run('--database', other, 'stats', '--json')).rows).toMatchObject([{ events: 3 }]);
  });

  test('is rejected while a process owns the database', async () => {
    const cli = await cliWithBackup();
    await cli.withStore(async (store) => {
      expect(await cli.run('restore', 'copy.db', '--yes')).toMatchObject({
        code: 1,
        err: expect.stringContaining('stop serve') as string,
      });
      expect((await store.statistics()).events).toBe(3);
    });
  });

  test('is rejected while another command has the database open', async () => {
    const cli = await cliWithBackup();
    const guest = await openSqliteStore({ path: cli.database, role: 'guest', clock: cli.clock });
    const { code, err } = await cli.run('restore', 'copy.db', '--yes');
    await guest.close();

    expect(code).toBe(1);
    expect(err).toContain('end all portaria commands');
    expect(leftovers(cli.folder)).toEqual([]);
    expect((await cli.run('restore', 'copy.db', '--yes')).code).toBe(0);
  });

  test.each([
    ['damaged', (copy: string) => truncateSync(copy, statSync(copy).size - 8_192), /damaged|malformed/],
    ['empty', (copy: string) => truncateSync(copy, 0), /is empty/],
    [
      'no database',
      (copy: string) => writeFileSync(copy, 'not a database at all, but text'),
      /not an SQLite/,
    ],
    ['with a log beside it', (copy: string) => writeFileSync(`${copy}-wal`, 'x'), /is no backup/],
  ])('a %s backup is rejected, and nothing is replaced', async (_, spoil, message) => {
    const cli = await cliWithBackup();
    spoil(cli.copy);

    const { code, err } = await cli.run('restore', 'copy.db', '--yes');

    expect(code).not.toBe(0);
    expect(err).toMatch(message);
    expect(leftovers(cli.folder)).toEqual([]);
    expect((await cli.run('stats', '--json')).rows).toMatchObject([{ events: 3 }]);
  });

  test('replaces a damaged database, and keeps its log away from the restored one', async () => {
    const cli = await cliWithBackup();
    writeFileSync(cli.database, 'not a database at all, but text. '.repeat(1_000));
    writeFileSync(`${cli.database}-wal`, 'a log'.repeat(1_000));

    const { code, err } = await cli.run('restore', 'copy.db', '--yes');

    // Nobody knows whom it had erased.
    expect(code).toBe(5);
    expect(err).toContain('cannot be read');
    expect(err).toContain('privacy reapply --receipts');
    expect((await cli.run('stats', '--json')).rows).toMatchObject([{ events: 3 }]);
    expect(
      readdirSync(cli.folder).filter((name) => name.endsWith('-wal') && name.includes('before')),
    ).toHaveLength(1);
  });

  test('a database that a killed restore has given a second name opens as it was', async () => {
    const cli = await cliWithBackup();
    const aside = `${cli.database}.before-restore-20261122T215720Z`;
    linkSync(cli.database, aside);
    const release = acquireExclusiveLock(`${cli.database}.lock`);
    expect((await cli.run('stats')).err, 'while a restore runs').toContain('has 2 names');
    release();

    expect((await cli.run('stats', '--json')).rows).toMatchObject([{ events: 3 }]);
    expect(readdirSync(cli.folder)).not.toContain(basename(aside));
  });

  test('what must be applied to the copy is applied first; if it fails, nothing is replaced', async () => {
    const cli = await cliWithBackup();
    await cli.seed([violation(3)]);
    const options = restoring(cli);
    const seen: (string | null)[] = [];
    const failing = restore({
      ...options,
      prepare: () => Promise.reject(new Error('the ledger is missing')),
    });
    await expect(failing).rejects.toThrow('the ledger is missing');
    expect(leftovers(cli.folder)).toEqual([]);
    expect((await cli.run('stats', '--json')).rows).toMatchObject([{ events: 4 }]);

    await restore({
      ...options,
      async prepare(copy, replaced) {
        seen.push(replaced);
        const store = await openSqliteStore({ path: copy, role: 'owner', clock: cli.clock });
        await store.recordPruning({ nextRunAt: 7 });
        await store.close();
      },
    });
    expect(seen).toEqual([cli.database]);
    expect((await cli.run('stats', '--json')).rows).toMatchObject([
      { events: 3, retention: { next_run_at: '1970-01-01T00:00:00.007Z' } },
    ]);
  });
});

describe('store compact', () => {
  test('shortens a file without incremental vacuum, which then gives space back by itself', async () => {
    const cli = cliEnvironment();
    const file = await foreignFile(cli.database);
    await cli.seed(
      Array.from({ length: 40 }, (_, id) => long(id)),
      { receivedAt: 1 },
    );
    expect((await cli.run('events', 'prune', '--older', '90d', '--yes')).err).toContain('store compact');
    const before = statSync(file).size;
    expect((await cli.run('stats')).out).toContain('store compact gives it back');

    const { code, out } = await cli.run('store', 'compact');

    expect(code).toBe(0);
    expect(out).toContain('after');
    expect(statSync(file).size).toBeLessThan(before / 2);
    expect((await cli.run('stats', '--json')).rows).toMatchObject([
      { events: 40, free_bytes: 0, gives_back_space: true },
    ]);
    expect(readdirSync(cli.folder).filter((name) => name.includes('etilqs'))).toEqual([]);
  });

  test('is rejected while a process owns the database', async () => {
    const cli = await cliWithBackup();
    await cli.withStore(async () => {
      expect((await cli.run('store', 'compact')).code).toBe(1);
    });
  });
});

const long = (id: number) => ({
  type: 'traffic-violation.created',
  data: { id, status: 'pending', description: 'x'.repeat(20_000) },
});

/** Creates a database without incremental vacuum, as another program may. */
async function foreignFile(database: string): Promise<string> {
  const { default: BetterSqlite3 } = await import('better-sqlite3');
  const file = new BetterSqlite3(database);
  file.pragma('journal_mode = wal');
  file.close();
  return database;
}

const restoring = ({ copy, database, clock }: Awaited<ReturnType<typeof cliWithBackup>>) => ({
  from: copy,
  shownAs: 'copy.db',
  to: database,
  clock,
  random: () => 0.5,
});

const leftovers = (folder: string) =>
  readdirSync(folder).filter((name) => name.includes('.part') || name.includes('.before-restore-'));

describe('store renew-id', () => {
  test('gives new ids after a file was put back by other means than restore', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1)]);
    const file = readFileSync(cli.database);
    await cli.seed([violation(2)]);
    const lost = ids((await cli.run('events', 'list', '--json')).rows);
    writeFileSync(cli.database, file);

    const { code, rows } = await cli.run('store', 'renew-id', '--json');
    await cli.seed([violation(1), violation(3)]);

    expect(code).toBe(0);
    const [later, first, ...more] = ids((await cli.run('events', 'list', '--json')).rows);
    expect(more).toEqual([]);
    expect(first).toBe(lost[1]);
    expect(later).toBe(`${String(rows[0]?.['store_id'])}-2`);
    expect(lost[0]).toBe(`${String(rows[0]?.['former_store_id'])}-2`);
    expect((await cli.run('events', 'show', first!, '--json')).rows).toMatchObject([{ repeats: 1 }]);
    expect((await cli.run('audit', 'list', '--json')).rows).toMatchObject([
      { action: 'renewStoreId', subject: { event: first }, result: 'done' },
    ]);
    expect((await cli.run('audit', 'verify')).code).toBe(0);
  });

  test('is refused while a process owns the file, and changes nothing', async () => {
    const cli = cliEnvironment();
    await cli.withStore(async ({ storeId }) => {
      expect(await cli.run('store', 'renew-id')).toMatchObject({
        code: 1,
        err: expect.stringContaining('in use by another running Portaria') as string,
      });
      expect((await cli.run('stats', '--json')).rows).toMatchObject([{ store_id: storeId }]);
    });
  });

  test('has no --keep-id for a file', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1)]);
    expect(await cli.run('store', 'renew-id', '--keep-id')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--keep-id is for a database in PostgreSQL') as string,
    });
    expect((await cli.run('audit', 'list', '--json')).rows).toEqual([]);
  });
});
