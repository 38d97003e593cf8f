/** `privacy reapply` takes over erasures and legal holds of a database in PostgreSQL that was replaced. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliEnvironment } from '../../cli/kit/cli-environment.ts';
import { connected, copyOfDatabase, emptyDatabase, run } from '../kit/empty-database.ts';

const ANA = '12345678909';

const login = {
  type: 'user.login.started',
  data: { id: 77, uid: ANA, connected: false, step: null, attempt: 1 },
};

const reapply = ['privacy', 'reapply', '--json'] as const;
const erase = ['privacy', 'erase', ANA, '--yes', '--reason', 'asked'] as const;

/** The server of the tests takes any password, unless it is one that somebody gives. */
function withPassword(address: string): string {
  const url = new URL(address);
  url.password ||= 'SECRET-1';
  return url.href;
}

/**
 * A database that was put back from a copy, and the one that it has replaced, in which Ana was erased since.
 *
 * @param before changes the store before the copy is made
 */
async function restored(before: (address: string) => Promise<void> = async () => undefined) {
  const address = await emptyDatabase();
  const replaced = cliEnvironment({}, address);
  await replaced.seed([login]);
  await before(address);
  const copy = await copyOfDatabase(address);
  const receipt = join(replaced.folder, 'receipt.json');
  expect((await replaced.run(...erase, '--receipt', receipt)).code).toBe(0);
  const cli = cliEnvironment({}, copy);
  expect((await cli.run('store', 'renew-id')).code).toBe(0);
  cli.env['PORTARIA_REAPPLY_FROM'] = withPassword(address);
  return { cli, replaced, address, receipt };
}

/** A store of an earlier version draws its key when it is first needed. */
const withoutKey = (address: string) => run(databaseOf(address), 'delete from erasure_key');
const databaseOf = (address: string) => new URL(address).pathname.slice(1);

async function keyOf(address: string): Promise<string | undefined> {
  const client = await connected(address);
  const { rows } = await client.query<{ key: string }>("select encode(key, 'hex') as key from erasure_key");
  return rows[0]?.key;
}

const bodiesOf = (cli: ReturnType<typeof cliEnvironment>) =>
  cli.withStore(async (store) => {
    const rows = await store.contents('event', { after: 0, limit: 10 });
    return rows.map(({ body }) => String(body === null ? null : Buffer.from(body)));
  });

test('its erasures are applied again, with the receipt that it has', async () => {
  const { cli, replaced } = await restored();

  const { code, rows } = await cli.run(...reapply);

  expect(code).toBe(0);
  expect(rows).toMatchObject([{ adopted: 1, rows: { event: 1 }, complete: true }]);
  expect(await bodiesOf(cli)).toEqual([expect.not.stringContaining(ANA)]);
  const receipt = (await replaced.run('privacy', 'receipts', 'x1')).out;
  expect((await cli.run('privacy', 'receipts', 'x1')).out).toBe(receipt);
});

describe('the key', () => {
  test('is drawn when a store is made, so that a copy from before the first erasure has it', async () => {
    const made = await emptyDatabase();

    await cliEnvironment({}, made).withStore(async () => undefined);

    expect(await keyOf(made)).toMatch(/^[0-9a-f]{64}$/u);
    const { cli, receipt } = await restored();
    cli.env['PORTARIA_REAPPLY_FROM'] = '';
    expect(await cli.run(...reapply, '--receipt', receipt)).toMatchObject({
      code: 0,
      rows: [{ adopted: 1, rows: { event: 1 }, complete: true }],
    });
    expect(await bodiesOf(cli)).toEqual([expect.not.stringContaining(ANA)]);
  });

  test('of the replaced database is taken over by a copy of an earlier version, which has none', async () => {
    const { cli, address, receipt } = await restored(withoutKey);
    const key = await keyOf(address);
    expect(await keyOf(cli.database)).not.toBe(key);

    const { code, rows } = await cli.run(...reapply);

    expect(code).toBe(0);
    expect(rows).toMatchObject([{ adopted: 1, rows: { event: 1 }, complete: true }]);
    expect(await bodiesOf(cli)).toEqual([expect.not.stringContaining(ANA)]);
    expect(await keyOf(cli.database)).toBe(key);
    expect((await cli.run('privacy', 'verify', receipt)).code).toBe(0);
    await cli.seed([login]);
    expect(await bodiesOf(cli), 'a repeat of the original is recognized').toHaveLength(1);
  });

  test('is not taken over once it was used, nor from another store', async () => {
    const used = await restored(withoutKey);
    expect((await used.cli.run('privacy', 'erase', 'user:5', '--yes', '--reason', 'asked')).code).toBe(0);
    const { cli } = await restored(withoutKey);
    await run(databaseOf(cli.database), "update store set installation = 'other1'");
    await run(databaseOf(cli.database), 'delete from former_store_ids');

    for (const { run: command, database } of [used.cli, cli]) {
      const key = await keyOf(database);
      const { code, err } = await command(...reapply);
      expect([code, err]).toEqual([2, expect.stringContaining('its hashes cannot be used here')]);
      expect(await keyOf(database)).toBe(key);
    }
  });

  test('is not taken over while a process serves the copy, which may have read the other one', async () => {
    const { cli } = await restored(withoutKey);

    const { code, err } = await cli.withStore(() => cli.run(...reapply));

    expect([code, err]).toEqual([1, expect.stringContaining('stop them, and run `privacy reapply` again')]);
    expect(await bodiesOf(cli)).toEqual([expect.stringContaining(ANA)]);
    expect((await cli.run(...reapply)).code).toBe(0);
  });
});

test('its legal holds keep a person, and are taken over', async () => {
  const { cli, replaced } = await restored();
  await replaced.run('privacy', 'hold', 'add', 'user:77', '--reason', 'case 12');

  const { code, rows, err } = await cli.run(...reapply);

  expect(code).toBe(5);
  expect(rows).toMatchObject([
    { adopted_holds: ['user:77', 'user-login:77'], kept_by_hold: ['x1'], complete: false },
  ]);
  expect(err).toContain('x1 was not applied again');
  expect(await bodiesOf(cli)).toEqual([expect.stringContaining(ANA)]);
  expect((await cli.run('privacy', 'hold', 'list', '--json')).rows).toHaveLength(2);
});

test('an empty database is refused, and gets no store', async () => {
  const cli = cliEnvironment();
  await cli.seed([login]);
  const address = await emptyDatabase();
  cli.env['PORTARIA_REAPPLY_FROM'] = withPassword(address);

  const { code, err } = await cli.run(...reapply);

  expect([code, err]).toEqual([3, expect.stringContaining('There is no store in postgres://')]);
  expect(err).not.toContain(new URL(withPassword(address)).password);
  const client = await connected(address);
  const { rows } = await client.query("select from pg_class where relnamespace = 'public'::regnamespace");
  expect(rows).toEqual([]);
});

test('the database in use is refused, also by another name of its server', async () => {
  const { cli } = await restored();
  await cli.run('privacy', 'hold', 'add', 'user:5', '--reason', 'case 5');
  const own = new URL(withPassword(cli.database));
  own.hostname = 'localhost';
  expect(own.href).not.toBe(cli.database);
  cli.env['PORTARIA_REAPPLY_FROM'] = own.href;

  const { code, err } = await cli.run(...reapply);

  expect([code, err]).toEqual([2, expect.stringContaining('is the database in use: name the one')]);
  expect(err).not.toContain(own.password);
});

test('a password in the argument is refused with the remedy', async () => {
  const cli = cliEnvironment();
  await cli.seed([login]);
  const address = withPassword(await emptyDatabase());
  const { password } = new URL(address);

  const { code, out, err } = await cli.run(...reapply, '--from', address);

  expect(code).toBe(4);
  expect(err).toContain('--from: must not contain a password');
  expect(err).toContain('set PORTARIA_REAPPLY_FROM');
  expect(out + err).not.toContain(password);
});
