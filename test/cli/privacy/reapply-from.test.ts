/** `privacy reapply --from` takes over what the replaced file knows of erasures and legal holds. */
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { hashIdentifier } from '../../../src/privacy/person.ts';
import { cliEnvironment } from '../kit/cli-environment.ts';

const ANA = '12345678909';

const login = {
  type: 'user.login.started',
  data: { id: 77, uid: ANA, connected: false, step: null, attempt: 1 },
};

const indication = (id: number) => ({
  type: 'traffic-violation.indication.created',
  data: { id, status: 'pending', tax_id: ANA, name: 'Ana Prado' },
});

const erase = ['privacy', 'erase', ANA, '--yes', '--reason', 'asked', '--json'] as const;
const reapply = ['privacy', 'reapply', '--from', 'replaced.db', '--json'] as const;
const hold = (subject: string) => ['privacy', 'hold', 'add', subject, '--reason', 'case 12'] as const;

type Cli = ReturnType<typeof cliEnvironment>;

const bytesOf = (file: string) => readFileSync(file, 'latin1');
const replacedFile = (cli: Cli) => join(cli.folder, 'replaced.db');

/** A database that was put back from a copy by hand, and `replaced.db`, in which Ana was erased since. */
async function restored(...sinceErasure: readonly (readonly string[])[]): Promise<Cli> {
  const cli = cliEnvironment();
  await cli.seed([login, indication(1), indication(2)]);
  const copy = readFileSync(cli.database);
  expect((await cli.run(...erase)).code).toBe(0);
  for (const command of sinceErasure) expect((await cli.run(...command)).code).toBe(0);
  copyFileSync(cli.database, replacedFile(cli));
  writeFileSync(cli.database, copy);
  expect(bytesOf(cli.database)).toContain('Ana Prado');
  return cli;
}

function change(file: string, sql: string): void {
  const database = new BetterSqlite3(file);
  database.exec(sql);
  database.close();
}

describe('the erasures of the replaced file', () => {
  it('are applied again with their receipts, and the file stays as it is', async () => {
    const cli = await restored();
    const before = readFileSync(replacedFile(cli));

    const { code, rows } = await cli.run(...reapply);

    expect(code).toBe(0);
    expect(rows).toMatchObject([{ adopted: 1, adopted_holds: [], rows: { event: 3 }, complete: true }]);
    expect(bytesOf(cli.database)).not.toContain('Ana Prado');
    expect(readFileSync(replacedFile(cli)).equals(before)).toBe(true);
    const { out } = await cli.run('privacy', 'receipts', 'x1');
    expect(JSON.parse(out)).toMatchObject({ erasure: 'x1', reason: 'asked', erased_rows: { event: 3 } });
    writeFileSync(join(cli.folder, 'receipt.json'), out);
    expect((await cli.run('privacy', 'verify', 'receipt.json')).code).toBe(0);
  });

  it('keep the number of their receipt, although the restored database counts them otherwise', async () => {
    const cli = cliEnvironment();
    await cli.seed([indication(1)]);
    const copy = readFileSync(cli.database);
    await cli.run('privacy', 'erase', 'user:5', '--yes', '--reason', 'asked');
    await cli.run(...erase, '--receipt', 'receipt.json');
    writeFileSync(cli.database, copy);

    expect((await cli.run('privacy', 'reapply', '--receipt', 'receipt.json')).code).toBe(0);

    const { out } = await cli.run('privacy', 'receipts', 'x1');
    expect(JSON.parse(out)).toEqual(JSON.parse(readFileSync(join(cli.folder, 'receipt.json'), 'utf8')));
    expect(JSON.parse(out)).toMatchObject({ erasure: 'x2' });
  });

  it('bring their receipts also where the copy was made while they ran: the interrupted one stays unfinished', async () => {
    const cli = cliEnvironment();
    await cli.seed([indication(1)]);
    const interrupted = await cli.withStore(async (store) => {
      const key = await store.erasureKey();
      const identifiers = [hashIdentifier({ type: 'cpf', value: ANA }, key)];
      const id = await store.beginErasure({ requestedBy: 'rui', reason: 'asked', identifiers });
      await store.beginErasureRun(id, { identifiers, process: 'fleet-1:1', startedAt: 0 });
      return id;
    });
    const copy = readFileSync(cli.database);
    expect((await cli.run(...erase)).code).toBe(0);
    const { out: receipt } = await cli.run('privacy', 'receipts', interrupted);
    copyFileSync(cli.database, replacedFile(cli));
    writeFileSync(cli.database, copy);

    const { code, rows } = await cli.run(...reapply);

    expect(code).toBe(5);
    expect(rows).toMatchObject([{ adopted: 1, unfinished: ['x1'], rows: { event: 1 } }]);
    expect((await cli.run('privacy', 'receipts', 'x2')).out).toBe(receipt);
    expect((await cli.run(...reapply)).rows).toMatchObject([{ adopted: 0 }]);
  });

  it('are applied also where the copy has drawn another key: the backup was from before erasures', async () => {
    const cli = await restored();
    change(cli.database, 'update erasure_key set key = randomblob(32)');

    expect(await cli.withStore(() => cli.run(...reapply))).toMatchObject({
      code: 1,
      err: expect.stringContaining('is in use by another running Portaria') as string,
    });
    expect(await cli.run(...reapply)).toMatchObject({ code: 0, rows: [{ adopted: 1, rows: { event: 3 } }] });

    expect(bytesOf(cli.database)).not.toContain('Ana Prado');
  });

  it('are refused where the copy has another key and used it', async () => {
    const cli = await restored();
    change(cli.database, 'update erasure_key set key = randomblob(32)');
    await cli.run('privacy', 'erase', 'user:5', '--yes', '--reason', 'asked');

    const { code, err } = await cli.run(...reapply);

    expect([code, err]).toEqual([2, expect.stringContaining('its hashes cannot be used here')]);
    expect(bytesOf(cli.database)).toContain('Ana Prado');
  });
});

it('a receipt that was formatted anew is known by its signature', async () => {
  const cli = await restored();
  await cli.run(...reapply);
  const receipt = JSON.parse((await cli.run('privacy', 'receipts', 'x1')).out) as object;
  const reversed = Object.fromEntries(Object.entries(receipt).toReversed());
  writeFileSync(join(cli.folder, 'receipt.json'), JSON.stringify(reversed, null, 4));

  const { code, rows } = await cli.run('privacy', 'reapply', '--receipt', 'receipt.json', '--json');

  expect(code).toBe(0);
  expect(rows).toMatchObject([{ adopted: 0 }]);
});

describe('the legal holds of the replaced file', () => {
  it('keep a person who was held there since the erasure, and are taken over', async () => {
    const cli = await restored(hold('user:77'));

    const { code, rows, err } = await cli.run(...reapply);

    expect(code).toBe(5);
    expect(rows).toMatchObject([
      {
        adopted_holds: ['user:77', 'user-login:77'],
        rows: { event: 0 },
        kept_by_hold: ['x1'],
        complete: false,
      },
    ]);
    expect(err).toContain('x1 was not applied again, because the person is under a legal hold');
    expect(bytesOf(cli.database)).toContain('Ana Prado');
    expect((await cli.run('privacy', 'hold', 'list', '--json')).rows).toMatchObject([
      { subject: 'user:77', reason: 'case 12' },
      { subject: 'user-login:77', reason: 'case 12' },
    ]);

    await cli.run('privacy', 'hold', 'remove', 'user:77');
    expect((await cli.run('privacy', 'reapply')).code).toBe(0);
    expect(bytesOf(cli.database)).not.toContain('Ana Prado');
  });

  it('leave the receipt that came along: a later erasure of the person has one of its own', async () => {
    const cli = await restored(hold('user:77'));
    const first = (await cli.run(...reapply)).code === 5 && (await cli.run('privacy', 'receipts', 'x1')).out;
    await cli.run('privacy', 'hold', 'remove', 'user:77');

    const erased = await cli.run(...erase);

    expect(erased.code).toBe(0);
    expect((await cli.run('privacy', 'receipts', 'x1')).out).toBe(first);
    expect((await cli.run('privacy', 'receipts', 'x2')).out).not.toBe(first);
    expect((await cli.run('privacy', 'reapply')).code).toBe(0);
    expect((await cli.run('privacy', 'receipts', 'x1')).out).toBe(first);
  });

  it('of another store are refused, because its subjects are other people', async () => {
    const cli = await restored();
    const other = cliEnvironment();
    await other.seed([login]);
    await other.run(...hold('user:77'));
    copyFileSync(other.database, replacedFile(cli));
    change(replacedFile(cli), "update store set installation = 'others'");

    const { code, err } = await cli.run(...reapply);

    expect(code).toBe(2);
    expect(err).toContain('is of another store, so its legal holds are of other people');
    expect((await cli.run('privacy', 'hold', 'list', '--json')).rows).toEqual([]);
  });

  it('keep the rows of their subjects: reapply names them, and ends with code 5', async () => {
    const cli = await restored(hold('traffic-violation-indication:2'));

    const { code, rows, err } = await cli.run(...reapply);

    expect(code).toBe(5);
    expect(rows).toMatchObject([
      {
        rows: { event: 2 },
        held_rows: 1,
        held_subjects: ['traffic-violation-indication:2'],
        kept_by_hold: [],
        complete: false,
      },
    ]);
    expect(err).toContain(
      '1 row of erased people stay, because traffic-violation-indication:2 is under a legal hold',
    );
    expect((await cli.run('audit', 'list', '--json')).rows[0]).toMatchObject({
      action: 'reapplyErasures',
      result: 'failed',
      subject: {
        adopted: '1',
        holds: 'traffic-violation-indication:2',
        rows: '2',
        held_rows: '1',
        held_subjects: 'traffic-violation-indication:2',
      },
    });
    const again = await cli.run(...reapply);
    expect([again.code, again.rows[0]?.['adopted_holds']]).toEqual([5, []]);
  });
});

describe('a --from that is no replaced database', () => {
  it.each([
    ['no file', () => undefined, 3, 'There is no database at '],
    ['an empty file', (file: string) => writeFileSync(file, ''), 3, 'There is no store in '],
    ['a folder', (file: string) => mkdirSync(file), 1, 'is not an SQLite database'],
    ['a text', (file: string) => writeFileSync(file, 'x'.repeat(5_000)), 1, 'is not an SQLite database'],
    [
      'a database without tables',
      (file: string) => change(file, 'pragma user_version = 0; create table t (i); drop table t'),
      3,
      'There is no store in ',
    ],
    [
      'a database of another program',
      (file: string) => change(file, 'create table contacts (name)'),
      1,
      'is a database of another program',
    ],
  ])('%s ends with its reason, and nothing is applied', async (_what, write, expectedCode, says) => {
    const cli = cliEnvironment();
    await cli.seed([indication(1)]);
    write(replacedFile(cli));

    const { code, out, err } = await cli.run(...reapply);

    expect([code, out, err]).toEqual([expectedCode, '', expect.stringContaining(says) as string]);
    expect(err).toContain('replaced.db');
    expect((await cli.run('privacy', 'receipts', '--json')).rows).toEqual([]);
  });

  it('a store of a newer version is refused', async () => {
    const cli = await restored();
    change(replacedFile(cli), 'pragma user_version = 999');
    const { code, err } = await cli.run(...reapply);
    expect([code, err]).toEqual([4, expect.stringContaining('newer version of Portaria')]);
    expect(bytesOf(cli.database)).toContain('Ana Prado');
  });

  it('the database in use is refused, also by another name', async () => {
    const cli = cliEnvironment();
    await cli.seed([indication(1)]);
    symlinkSync(cli.database, replacedFile(cli));
    const { code, err } = await cli.run(...reapply);
    expect([code, err]).toEqual([2, expect.stringContaining('belongs to the database')]);
  });

  it('an empty text is refused, as an unset variable of a shell gives it', async () => {
    const cli = cliEnvironment();
    await cli.seed([indication(1)]);
    const { code, err } = await cli.run('privacy', 'reapply', '--from', '');
    expect([code, err]).toEqual([2, expect.stringContaining('--from is empty')]);
  });

  it.each([
    'postgres://portaria:SECRET@db/portaria',
    'postgresql://portaria@db/portaria?password=SECRET',
    'postgres:/portaria:SECRET@db/portaria',
    'mysql://portaria:SECRET@db/portaria',
  ])('an address with a password is refused, and no message repeats it: %s', async (address) => {
    const cli = cliEnvironment();
    await cli.seed([indication(1)]);
    const { code, out, err } = await cli.run('privacy', 'reapply', '--from', address);
    expect(code).toBe(4);
    expect(err).toMatch(/PORTARIA_REAPPLY_FROM/u);
    expect(out + err).not.toContain('SECRET');
  });
});
