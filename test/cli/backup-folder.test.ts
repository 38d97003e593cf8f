/** `backup` and `restore` with the folder of the copies that `serve` makes. */
import { mkdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliEnvironment, violation } from './kit/cli-environment.ts';

test('backup without a file writes one to PORTARIA_BACKUP_DIR, which ends backup-late', async () => {
  const cli = cliEnvironment();
  await cli.seed([violation(1)]);
  expect((await cli.run('backup')).err).toContain('set PORTARIA_BACKUP_DIR');
  cli.env['PORTARIA_BACKUP_DIR'] = join(cli.folder, 'backups');
  expect((await cli.run('doctor')).out).toMatch(/backup-late.*restart serve/u);

  const { code, rows } = await cli.run('backup', '--json');

  expect({ code, rows }).toMatchObject({
    code: 0,
    rows: [{ file: expect.stringContaining('/backups/portaria-') }],
  });
  expect((await cli.run('doctor')).out).not.toContain('backup-late');
});

test('restore of a folder whose newest copy is damaged names the one before it', async () => {
  const cli = cliEnvironment();
  await cli.seed([violation(1)]);
  mkdirSync(join(cli.folder, 'backups'));
  const at = (day: number) => join('backups', `portaria-ab12cd-2024010${String(day)}T000000Z.db`);
  for (const day of [1, 2]) expect((await cli.run('backup', at(day))).code).toBe(0);
  const newest = join(cli.folder, at(2));
  truncateSync(newest, statSync(newest).size - 8_192);

  const { code, err } = await cli.run('restore', 'backups', '--yes');

  expect(code).not.toBe(0);
  expect(err).toContain(`the copy before it: portaria restore ${join(cli.folder, at(1))}`);
  expect((await cli.run('restore', at(1), '--yes')).code).toBe(0);
});

test('restore of a folder says which copy it takes, and which newer file it does not', async () => {
  const cli = cliEnvironment();
  await cli.seed([violation(1)]);
  mkdirSync(join(cli.folder, 'backups'));
  const regular = join('backups', 'portaria-ab12cd-20240101T000000Z.db');
  const nightly = join(cli.folder, 'backups', 'of the night.db');
  for (const file of [regular, nightly]) expect((await cli.run('backup', file)).code).toBe(0);

  const { out, err } = await cli.run('restore', 'backups', '--yes');

  expect(out).toMatch(new RegExp(`^from +${join(cli.folder, regular)}$`, 'mu'));
  expect(err).toContain(`${nightly} is newer and is not taken: portaria restore '${nightly}'`);
});
