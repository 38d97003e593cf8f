/** A restore brings back nothing of people who were erased since the backup. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { cliEnvironment, violation } from '../kit/cli-environment.ts';

const CPF = '12345678909';
const erase = ['privacy', 'erase', CPF, '--yes', '--reason', 'asked'] as const;

const indication = (id: number, cpf = CPF) => ({
  type: 'traffic-violation.indication.created',
  data: { id, status: 'pending', tax_id: cpf, name: cpf === CPF ? 'Ana Prado' : 'Bruno Lima' },
});

async function cliWithBackup() {
  const cli = cliEnvironment();
  await cli.seed([indication(1), indication(2, '98765432100'), violation(1)]);
  expect((await cli.run('backup', 'copy.db')).code).toBe(0);
  return cli;
}

const bytesOf = (file: string) => readFileSync(file, 'latin1');

function keyOf(file: string): Buffer {
  const database = new BetterSqlite3(file, { readonly: true });
  try {
    return database.prepare<[], Buffer>('select key from erasure_key').pluck().get()!;
  } finally {
    database.close();
  }
}

describe('a restore after an erasure', () => {
  test('leaves nothing of the person in the database, before serve starts', async () => {
    const cli = await cliWithBackup();
    expect((await cli.run(...erase)).code).toBe(0);
    expect(bytesOf(join(cli.folder, 'copy.db'))).toContain('Ana Prado');

    const { code, out, err } = await cli.run('restore', 'copy.db', '--yes');

    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(/Recorded in the audit as u\d+\./u) as string,
    });
    expect(out).toMatch(/erased again +1 row/);
    expect(out + err).not.toMatch(/Ana|12345678909/);
    const restored = bytesOf(cli.database);
    expect(restored).not.toContain(CPF);
    expect(restored).not.toContain('Ana Prado');
    expect(restored).toContain('Bruno Lima');
    expect((await cli.run('events', 'show', '1', '--json')).rows[0]?.['flags']).toContain('erased');
    expect((await cli.run('privacy', 'receipts', '--json')).rows).toHaveLength(1);
    expect(readdirSync(cli.folder).filter((name) => name.includes('.part'))).toEqual([]);
    // A repeat of the original webhook brings nothing back.
    await cli.seed([indication(1)]);
    expect(bytesOf(cli.database)).not.toContain(CPF);
  });

  test('names the copy of the store that has the receipt, where that copy was restored before', async () => {
    const cli = await cliWithBackup();
    await cli.run(...erase);
    // As an erasure that was interrupted before its receipt.
    const replaced = new BetterSqlite3(cli.database);
    replaced.exec('update erasures set receipt = null, finished_at = null');
    replaced.close();
    await cli.run('restore', 'copy.db', '--yes');
    const { code, err } = await cli.run('privacy', 'receipts', 'x1');
    expect(code).toBe(3);
    expect(err).toContain(
      'The receipt of erasure x1 is in the copy of the store that erased the person first: this one only repeated it',
    );
    expect(err).not.toContain('yet');
  });

  test('says in JSON and in the audit what it erased again', async () => {
    const cli = await cliWithBackup();
    await cli.run(...erase);
    const { rows } = await cli.run('restore', 'copy.db', '--yes', '--json');
    expect(rows[0]).toMatchObject({
      erased_again: { adopted: 1, rows: { event: 1, quarantine: 0 }, held_rows: 0, complete: true },
    });
    const { rows: audit } = await cli.run('audit', 'list', '--json');
    expect(audit.find(({ action }) => action === 'reapplyErasures')).toMatchObject({
      result: 'done',
      subject: { adopted: '1', rows: '1' },
    });
  });

  test('erases what came after an erasure that the backup knows, and was erased again', async () => {
    const cli = await cliWithBackup();
    await cli.run(...erase);
    await cli.seed([indication(3)]);
    await cli.run('backup', 'later.db');
    await cli.run(...erase);

    expect((await cli.run('restore', 'later.db', '--yes')).code).toBe(0);
    expect(bytesOf(cli.database)).not.toContain(CPF);
  });

  test('does not wait for deliveries that ran when the backup was made', async () => {
    const handler = "export default defineHandler({ name: 'slow', on: '*', handle() {} });";
    const cli = cliEnvironment({ slow: handler });
    await cli.seed([indication(1)]);
    await cli.withStore(async (store) => {
      await store.claim({ now: cli.clock.now(), limit: 1, handlers: ['slow'] });
      expect((await cli.run('backup', 'copy.db')).code).toBe(0);
    });
    await cli.dispatch();
    await cli.run(...erase);

    expect((await cli.run('restore', 'copy.db', '--yes')).code).toBe(0);
    expect(bytesOf(cli.database)).not.toContain(CPF);
    expect((await cli.run('deliveries', 'list', '--json')).rows).toMatchObject([{ status: 'pending' }]);
  });

  test('takes over the holds of the replaced database, and ends those that it has ended', async () => {
    const cli = cliEnvironment();
    await cli.seed([indication(1), indication(2, '98765432100')]);
    const hold = ['privacy', 'hold'] as const;
    await cli.run(...hold, 'add', 'traffic-violation-indication:1', '--reason', 'case 1');
    await cli.run('backup', 'copy.db');
    await cli.run(...hold, 'remove', 'traffic-violation-indication:1');
    await cli.run(...erase);
    await cli.run(...hold, 'add', 'traffic-violation-indication:2', '--reason', 'case 2');

    expect((await cli.run('restore', 'copy.db', '--yes')).code).toBe(0);

    expect(bytesOf(cli.database)).not.toContain(CPF);
    expect((await cli.run(...hold, 'list', '--json')).rows).toMatchObject([
      { subject: 'traffic-violation-indication:2', reason: 'case 2' },
    ]);
  });
});

describe('the key of erasures', () => {
  test('survives backup and restore, so that receipts stay valid', async () => {
    const cli = await cliWithBackup();
    const key = keyOf(cli.database);
    await cli.run(...erase, '--receipt', 'receipt.json');
    expect(keyOf(join(cli.folder, 'copy.db'))).toEqual(key);

    await cli.run('restore', 'copy.db', '--yes');

    expect(keyOf(cli.database)).toEqual(key);
    expect((await cli.run('privacy', 'verify', 'receipt.json')).code).toBe(0);
  });

  test('of another database means nothing: the backup is refused, and nothing is replaced', async () => {
    const cli = await cliWithBackup();
    const other = await cliWithBackup();
    await cli.run(...erase);
    const foreign = new BetterSqlite3(join(other.folder, 'copy.db'));
    foreign.exec("update store set installation = 'zzzzzz'");
    foreign.close();
    const before = bytesOf(cli.database);

    const { code, err } = await cli.run('restore', join(other.folder, 'copy.db'), '--yes');
    expect(code).toBe(2);
    expect(err).toContain('is of another database than');
    expect(bytesOf(cli.database)).toEqual(before);
  });

  test('is not applied by a command that lacks kinds of serve, without --force', async () => {
    const cli = await cliWithBackup();
    await cli.run(...erase);
    const process = { id: 'p', host: 'h', pid: 1, version: '0', startedAt: 1, handlers: [] };
    const shop = { type: 'source', name: 'shop', source: null, origin: 'shop.ts', hash: 'h' } as const;
    await cli.withStore((store) => store.registerProcess(process, [shop]));
    const before = bytesOf(cli.database);

    const { code, err } = await cli.run('restore', 'copy.db', '--yes');
    expect(code).toBe(4);
    expect(err).toContain('served last, knows the source shop, which this command does not');
    expect(err).toContain('--force');
    expect(bytesOf(cli.database) === before, 'nothing was replaced').toBe(true);
    expect((await cli.run('restore', 'copy.db', '--yes', '--force')).code).toBe(0);
  });

  test('is not needed to replace a lost database: the receipts are applied', async () => {
    const cli = await cliWithBackup();
    await cli.run(...erase, '--receipt', 'receipt.json');
    for (const end of ['-wal', '-shm']) rmSync(`${cli.database}${end}`, { force: true });
    writeFileSync(cli.database, 'not a database at all, but text. '.repeat(1_000));

    const { code, err } = await cli.run('restore', 'copy.db', '--yes');
    expect(code).toBe(5);
    expect(err).toContain('privacy reapply --receipts');

    expect((await cli.run('privacy', 'reapply', '--receipts', 'receipt.json')).code).toBe(0);
    expect(bytesOf(cli.database)).not.toContain(CPF);
  });
});
