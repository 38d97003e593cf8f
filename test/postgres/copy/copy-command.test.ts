/** `portaria store copy` as operators use it. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { cliEnvironment, violation } from '../../cli/kit/cli-environment.ts';
import { rowsInPostgres } from '../kit/copied-store.ts';
import { emptyDatabase } from '../kit/empty-database.ts';

/** A file with two events, and a command line on an empty database in PostgreSQL. */
async function filled() {
  const from = cliEnvironment();
  await from.seed([violation(1), violation(2)]);
  return { from, to: cliEnvironment({}, await emptyDatabase()), file: from.database };
}

test('copies the file, and says what it has compared', async () => {
  const { from, to, file } = await filled();

  const { code, out, err } = await to.run('store', 'copy', '--from', file);

  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('Never serve the file') as string });
  expect(out).toMatch(/events +2/);
  expect(out).toMatch(/compared +the number and the content of the rows of \d+ tables/);
  for (const command of [
    ['events', 'list', '--json'],
    ['audit', 'list', '--json'],
  ])
    expect((await to.run(...command)).rows).toEqual((await from.run(...command)).rows);
  expect((await from.run('audit', 'list', '--json')).rows[0]).toMatchObject({
    action: 'copyStore',
    subject: { from: file },
    result: 'done',
  });
  expect((await to.run('audit', 'verify')).code).toBe(0);
});

test('a file that was copied is served with a warning until it gets a new store id', async () => {
  const { from, to, file } = await filled();
  const warning = 'portaria.db was copied to postgres://';
  expect((await from.run('doctor')).out).not.toContain(warning);
  expect((await to.run('store', 'copy', '--from', file)).code).toBe(0);

  const { terminal, ended } = from.begin(['serve']);
  await terminal.printed(warning);
  terminal.interrupt();
  await ended;
  expect((await from.run('doctor')).out).toMatch(new RegExp(`^WARN +file .*${warning}`, 'mu'));
  expect((await to.run('doctor')).out).not.toContain(warning);

  expect((await from.run('store', 'renew-id')).code).toBe(0);
  expect((await from.run('doctor')).out).not.toContain(warning);
});

test('with --dry-run writes nothing', async () => {
  const { from, to, file } = await filled();
  const { code, rows } = await to.run('store', 'copy', '--from', file, '--dry-run', '--json');
  expect(code).toBe(0);
  expect(rows).toMatchObject([{ from: file, dry_run: true, rows: { events: 2 } }]);
  expect(await rowsInPostgres(to.database)).toEqual({});
  expect((await from.run('audit', 'list', '--json')).rows).toEqual([]);
  const copied = await to.run('store', 'copy', '--from', file, '--json');
  const { audit, ...counted } = (rows[0] as { rows: Record<string, number> }).rows;
  // The entry about the copy.
  expect(copied.rows).toMatchObject([{ rows: { ...counted, audit: Number(audit) + 1 } }]);
});

test('refuses what cannot be copied, and names the remedy', async () => {
  const { from, to, file } = await filled();
  for (const [cli, args, code, message] of [
    [to, [], 2, '--from'],
    [to, ['--from', 'postgres://ana@db/portaria'], 2, 'events export'],
    [to, ['--from', 'missing.db'], 3, 'There is no store in'],
    [from, ['--from', file], 2, 'Set PORTARIA_DATABASE to the address of the empty PostgreSQL database'],
  ] as const)
    expect(await cli.run('store', 'copy', ...args)).toMatchObject({
      code,
      err: expect.stringContaining(message) as string,
    });
});

test('after Ctrl-C the database is empty, and the command begins again', async () => {
  const { to, file } = await filled();
  const { terminal, ended } = to.begin(['store', 'copy', '--from', file]);
  const state = { hasEnded: false };
  void ended.then(() => (state.hasEnded = true));
  while (!state.hasEnded) {
    terminal.interrupt();
    await nextTick();
  }
  expect(await ended).toMatchObject({ code: 130 });
  expect(await rowsInPostgres(to.database)).toEqual({});

  expect((await to.run('store', 'copy', '--from', file)).code).toBe(0);
  expect((await to.run('events', 'list', '--json')).rows).toHaveLength(2);
});
