/** `portaria store copy` as operators use it, without PostgreSQL. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { cliEnvironment, violation } from './kit/cli-environment.ts';

/** Begins a copy, and interrupts it once it is loaded and listens. */
async function interruptedCopy(cli: ReturnType<typeof cliEnvironment>) {
  const { terminal, ended } = cli.begin(['store', 'copy', '--to', 'copy.db']);
  const state = { hasEnded: false };
  void ended.then(() => (state.hasEnded = true));
  while (!state.hasEnded) {
    terminal.interrupt();
    await nextTick();
  }
  return ended;
}

async function filled() {
  const cli = cliEnvironment();
  await cli.seed([violation(1), violation(2)]);
  return { ...cli, copy: join(cli.folder, 'copy.db') };
}

describe('store copy', () => {
  test('copies the database into a private file, and says what it has compared', async () => {
    const cli = await filled();

    const { code, out, err } = await cli.run('store', 'copy', '--to', 'copy.db');

    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('Never serve both') as string });
    expect(out).toMatch(/events +2/);
    expect(out).toMatch(/compared +the number and the content of the rows of \d+ tables/);
    expect(statSync(cli.copy).mode & 0o777).toBe(0o600);
    for (const command of [
      ['events', 'list', '--json'],
      ['audit', 'list', '--json'],
    ])
      expect((await cli.run('--database', cli.copy, ...command)).rows).toEqual(
        (await cli.run(...command)).rows,
      );
    expect((await cli.run('audit', 'list', '--json')).rows[0]).toMatchObject({
      action: 'copyStore',
      subject: { from: cli.database, to: cli.copy },
      result: 'done',
    });
    expect((await cli.run('--database', cli.copy, 'audit', 'verify')).code).toBe(0);
  });

  test('with --dry-run writes nothing', async () => {
    const cli = await filled();
    const { code, rows } = await cli.run('store', 'copy', '--to', 'copy.db', '--dry-run', '--json');
    expect(code).toBe(0);
    expect(rows).toMatchObject([{ to: cli.copy, dry_run: true, begun: false, rows: { events: 2 } }]);
    expect(existsSync(cli.copy)).toBe(false);
    expect((await cli.run('audit', 'list', '--json')).rows).toEqual([]);
    const copied = await cli.run('store', 'copy', '--to', 'copy.db', '--json');
    expect(copied.rows).toMatchObject([{ rows: (rows[0] as { rows: object }).rows }]);
  });

  test('needs a database to copy into, by --to or PORTARIA_COPY_TO', async () => {
    const cli = await filled();
    const missing = await cli.run('store', 'copy');
    expect({ code: missing.code, err: missing.err }).toMatchObject({
      code: 2,
      err: expect.stringContaining('--to <database>, or PORTARIA_COPY_TO') as string,
    });
    cli.env['PORTARIA_COPY_TO'] = 'copy.db';
    expect((await cli.run('store', 'copy')).code).toBe(0);
  });

  test('refuses what cannot be copied into, and names the remedy', async () => {
    const cli = await filled();
    for (const [to, code, message] of [
      ['postgres://ana:secret@db/portaria', 4, '--to: must not contain a password'],
      ['postgres://ana@db/portaria?password=secret', 4, '--to: must not contain a password'],
      [
        'postgres://ana@db/portaria?sslmode=require&pass%77ord=secret',
        4,
        '--to: must not contain a password',
      ],
      ['mysql://db/portaria', 4, 'no other database is known'],
      [':memory:', 2, 'in memory cannot be copied'],
      ['portaria.db', 2, 'belongs to the database'],
    ] as const) {
      const refused = await cli.run('store', 'copy', '--to', to);
      expect(refused).toMatchObject({ code, err: expect.stringContaining(message) as string });
      expect(refused.err).not.toContain('secret');
    }
  });

  test('refuses a database that is served', async () => {
    const cli = await filled();
    await cli.withStore(async () => {
      expect(await cli.run('store', 'copy', '--to', 'copy.db')).toMatchObject({
        code: 1,
        err: expect.stringContaining('in use by another running Portaria') as string,
      });
    });
    expect(existsSync(cli.copy)).toBe(false);
  });

  test('after Ctrl-C every command refuses the copy until the same command has finished it', async () => {
    const cli = await filled();
    expect(await interruptedCopy(cli)).toMatchObject({
      code: 130,
      err: expect.stringContaining('Run the same command again') as string,
    });

    for (const command of [
      ['stats'],
      ['events', 'list'],
      ['backup', 'b.db'],
      ['serve'],
      ['store', 'compact'],
    ])
      expect(await cli.run('--database', cli.copy, ...command)).toMatchObject({
        code: 4,
        err: expect.stringContaining('is not finished: run `portaria store copy` again') as string,
      });
    expect((await cli.run('--database', cli.copy, 'doctor')).out).toContain('is not finished');

    expect((await cli.run('store', 'copy', '--to', 'copy.db', '--json')).rows).toMatchObject([
      { continued: true },
    ]);
    expect((await cli.run('--database', cli.copy, 'events', 'list', '--json')).rows).toHaveLength(2);
  });

  test('an interrupted copy whose source has changed begins again from the start, and no advice says otherwise', async () => {
    const cli = await filled();
    await interruptedCopy(cli);
    await cli.seed([violation(3)]);

    const { code, err } = await cli.run('store', 'copy', '--to', 'copy.db');

    expect({ code, err }).toEqual({
      code: 4,
      err: expect.stringMatching(
        /has changed since .* remove that file, and copy again from the start/,
      ) as string,
    });
    expect(err).not.toContain('Run the same command again');
  });
});
