/** `privacy reapply` takes over erasures and legal holds of a database in PostgreSQL that was replaced. */
import { expect, onTestFinished, test } from 'vitest';
import { cliEnvironment } from '../cli/cli-environment.ts';
import { connected, createDatabase, emptyDatabase, run, urlOf } from './empty-database.ts';

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

/** A database that was put back from a copy, and the one that it has replaced, in which Ana was erased since. */
async function restored() {
  const address = await emptyDatabase();
  const replaced = cliEnvironment({}, address);
  await replaced.seed([login]);
  expect((await replaced.run('privacy', 'find', ANA)).code).toBe(0);
  const key = await replaced.withStore((store) => store.erasureKey());
  const name = await createDatabase(new URL(address).pathname.slice(1));
  onTestFinished(() => run('postgres', `drop database ${name} with (force)`));
  expect((await replaced.run(...erase)).code).toBe(0);
  const cli = cliEnvironment({}, urlOf(name));
  expect(await cli.withStore((store) => store.erasureKey())).toEqual(key);
  cli.env['PORTARIA_REAPPLY_FROM'] = withPassword(address);
  return { cli, replaced, address };
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

test('a store of an older version is read and not migrated', async () => {
  const { cli, address } = await restored();
  const client = await connected(address);
  await client.query('alter table erasures drop column runs; delete from migrations where level >= 4');

  expect((await cli.run(...reapply)).code).toBe(0);

  const { rows } = await client.query<{ level: number }>('select max(level) as level from migrations');
  expect(rows).toEqual([{ level: 3 }]);
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
