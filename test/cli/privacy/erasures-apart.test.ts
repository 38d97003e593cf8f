/** Erasures by command beside others, and after a failure: one at a time, and none without its receipt. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { hashIdentifier } from '../../../src/privacy/person.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.ts';
import { bytes, sampleRejection } from '../../conformance/sample-event.ts';
import { cliEnvironment } from '../kit/cli-environment.ts';

const CPF = '12345678909';

const indication = (id: number) => ({
  type: 'traffic-violation.indication.created',
  data: { id, status: 'pending', tax_id: CPF, name: 'Ana de Souza Prado' },
});

const erase = ['privacy', 'erase', CPF, '--yes', '--reason', 'request 17', '--json'] as const;

async function seeded() {
  const cli = cliEnvironment();
  await cli.seed([indication(1), indication(2)]);
  return cli;
}

/** Runs SQL as another program on the file of the database. */
function run(file: string, statement: string): void {
  const database = new BetterSqlite3(file);
  database.exec(statement);
  database.close();
}

it.each([[[...erase]], [['privacy', 'reapply', '--json']]])(
  '%j waits for no other erasure: it names the process and changes nothing',
  async (command) => {
    const cli = await seeded();
    await cli.withStore((serving) =>
      serving.eraseAlone(async ({ process: own }) => {
        const { code, err } = await cli.run(...command);
        expect(code).toBe(7);
        expect(err).toContain(`Another erasure runs in the process ${own} since 2026-`);
        expect(err).toContain('start this one when it has ended');
        expect(await serving.erasures()).toEqual([]);
      }),
    );
    expect(readFileSync(cli.database, 'latin1')).toContain(CPF);
    expect((await cli.run(...command)).code, 'after it').toBe(0);
  },
);

it('the list of erasures says which one runs, where, and what it has erased', async () => {
  const cli = await seeded();
  const running = await cli.withStore(async (serving) => {
    const id = await serving.beginErasure({ requestedBy: 'rui', reason: 'request 16', identifiers: [] });
    return serving.eraseAlone(async ({ process: own, since }) => {
      await serving.beginErasureRun(id, { identifiers: [], process: own, startedAt: since });
      const { rows } = await cli.run('privacy', 'receipts', '--json');
      expect(rows).toMatchObject([{ id, running_in: own, runs: [{ process: own, erased_rows: {} }] }]);
      expect((await cli.run('privacy', 'receipts')).out).toContain(`running in ${own} since`);
      const { code, err } = await cli.run('privacy', 'receipts', id);
      expect([code, err]).toEqual([3, expect.stringContaining(`: it is running in ${own}`)]);
      return own;
    });
  });
  const { out } = await cli.run('privacy', 'receipts');
  expect(out).toContain('not finished');
  expect(out).not.toContain(running);
});

it('an erasure whose receipt cannot be stored is unfinished, and the same command ends it with all its rows', async () => {
  const cli = await seeded();
  const failing = "begin select raise(abort, 'no room'); end";
  run(cli.database, `create trigger full before update of receipt on erasures ${failing}`);
  const failed = await cli.run(...erase);
  expect(failed.code).toBe(1);
  expect(failed.out).toBe('');
  expect((await cli.run('privacy', 'receipts', '--json')).rows).toMatchObject([
    { id: 'x1', finished_at: null, running_in: null, runs: [{ erased_rows: { event: 2 } }] },
  ]);
  const audit = await cli.run('audit', 'list', '--action', 'erasePerson', '--json');
  expect(audit.rows).toMatchObject([{ result: 'failed', subject: { erasure: 'x1' } }]);

  run(cli.database, 'drop trigger full');
  const { code, rows } = await cli.run(...erase);
  expect(code).toBe(0);
  expect(rows).toMatchObject([
    {
      erasure: 'x1',
      erased_rows: { event: 2, delivery: 0 },
      runs: [{ erased_rows: { event: 2 } }, { erased_rows: {} }],
      values_searched: 0,
    },
  ]);
});

it('a receipt that cannot be written to a file is stored, and the message says how to print it', async () => {
  const cli = await seeded();
  const { code, out, err } = await cli.run(...erase, '--receipt', 'missing/receipt.json');
  expect(code).not.toBe(0);
  expect(err).toContain(
    'The person is erased, and the receipt is stored: `portaria privacy receipts x1` prints it.',
  );
  expect(JSON.parse(out)).toMatchObject({ erasure: 'x1' });
  expect((await cli.run('privacy', 'receipts', 'x1')).out).toBe(out);
});

it('reapply goes on with an interrupted erasure and signs nothing: the same erasure does, with the rows of all', async () => {
  const cli = await seeded();
  const failing = "begin select raise(abort, 'no room'); end";
  run(cli.database, `create trigger full before update of receipt on erasures ${failing}`);
  await cli.run(...erase);
  run(cli.database, 'drop trigger full');
  await cli.seed([indication(3)]);

  const { code, rows, err } = await cli.run('privacy', 'reapply', '--json');
  expect(code).toBe(5);
  expect(rows).toMatchObject([{ unfinished: ['x1'], rows: { event: 1 }, complete: false }]);
  expect(err).toContain('x1 has no receipt yet');
  expect(readFileSync(cli.database, 'latin1')).not.toContain(CPF);
  expect((await cli.run('privacy', 'receipts', '--json')).rows).toMatchObject([{ finished_at: null }]);

  expect((await cli.run(...erase)).code).toBe(0);
  expect(JSON.parse((await cli.run('privacy', 'receipts', 'x1')).out)).toMatchObject({
    ...{ erasure: 'x1', reason: 'request 17', hits: 0 },
    erased_rows: { event: 3 },
  });
});

it('reapply signs nothing for a form of an identifier that its hash does not recognize', async () => {
  const cli = cliEnvironment();
  await cli.seed([indication(1)]);
  await cli.withStore((store) =>
    store.quarantine(sampleRejection({ body: bytes('broken { mail "ana.prado\\u0040example.com" ') })),
  );
  const address = ['privacy', 'erase', 'ana.prado@example.com', '--yes', '--reason', 'request 18'];
  expect((await cli.run(...address)).code).toBe(5);
  expect((await cli.run('privacy', 'reapply', '--json')).rows).toMatchObject([{ unfinished: ['x1'] }]);
  expect((await cli.run('privacy', 'receipts', 'x1')).code).toBe(3);
});

it('reapply leaves an interrupted erasure of a held person unfinished', async () => {
  const cli = cliEnvironment();
  await cli.seed([
    { type: 'user.login.started', data: { id: 77, uid: CPF, connected: false, step: null, attempt: 1 } },
  ]);
  await cli.withStore(async (store) => {
    const key = await store.erasureKey();
    const identifiers = [hashIdentifier({ type: 'subject', value: 'user-login:77' }, key)];
    const id = await store.beginErasure({ requestedBy: 'rui', reason: 'request 16', identifiers });
    await store.beginErasureRun(id, { identifiers, process: 'fleet-1:1', startedAt: 0 });
  });
  await cli.run('privacy', 'hold', 'add', 'user:77', '--reason', 'case 12');
  expect((await cli.run('privacy', 'reapply', '--json')).rows).toMatchObject([
    { unfinished: [], kept_by_hold: ['x1'], rows: { event: 0 } },
  ]);
  expect((await cli.run('privacy', 'receipts', '--json')).rows).toMatchObject([{ finished_at: null }]);
  await cli.run('privacy', 'hold', 'remove', 'user:77');
  expect((await cli.run('privacy', 'reapply', '--json')).rows).toMatchObject([
    { unfinished: ['x1'], rows: { event: 1 } },
  ]);
});

it('an erasure of more values than the files are searched for says so, and the next run ends it', async () => {
  const cli = cliEnvironment();
  const names = Array.from({ length: 10_001 }, (_, at) => `Ana Prado ${String(at)}`);
  await cli.seed([{ type: 'driver.audited', data: { id: 5, cpf: CPF, names } }]);
  const { code, out, err } = await cli.run(...erase);
  expect([code, out]).toEqual([5, '']);
  expect(err).toContain(
    'The erasure is not finished: more than 10000 different values were erased, the most that the files are searched for: another run searches them for the identifiers alone. Run the same command again.',
  );
  expect(readFileSync(cli.database, 'latin1')).not.toContain('Ana Prado 10000');
  expect((await cli.run(...erase)).rows).toMatchObject([
    { erasure: 'x1', erased_rows: { event: 1 }, hits: 0 },
  ]);
});

it('a restore waits for no erasure of the file that it replaces, and is refused', async () => {
  const cli = await seeded();
  const backup = join(cli.folder, 'backup.db');
  expect((await cli.run('backup', backup)).code).toBe(0);
  const other = await openSqliteStore({ path: cli.database, role: 'guest', clock: cli.clock });
  onTestFinished(() => other.close());
  await other.eraseAlone(async ({ process: own }) => {
    const { code, err } = await cli.run('restore', backup, '--yes');
    expect([code, err]).toEqual([7, expect.stringContaining(`Another erasure runs in the process ${own}`)]);
  });
});

it('the ledger is read although nobody may ask who erases', async () => {
  const cli = await seeded();
  expect((await cli.run(...erase)).code).toBe(0);
  rmSync(`${cli.database}.erasure-lock`);
  mkdirSync(`${cli.database}.erasure-lock`);
  expect((await cli.run('privacy', 'receipts', '--json')).rows).toMatchObject([
    { id: 'x1', running_in: null },
  ]);
});
