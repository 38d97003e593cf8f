/** `privacy reapply --receipts` takes over the erasures of receipts, where the database that erased is lost. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it } from 'vitest';
import { hashIdentifier } from '../../../src/privacy/person.ts';
import { cliEnvironment } from '../kit/cli-environment.ts';

const ANA = '12345678909';

const indication = (id: number) => ({
  type: 'traffic-violation.indication.created',
  data: { id, status: 'pending', tax_id: ANA, name: 'Ana Prado' },
});

const erase = ['privacy', 'erase', ANA, '--yes', '--reason', 'asked', '--receipt', 'receipt.json'] as const;
const reapply = ['privacy', 'reapply', '--receipts', 'receipt.json', '--json'] as const;

type Cli = ReturnType<typeof cliEnvironment>;

const bytesOf = (cli: Cli) => readFileSync(cli.database, 'latin1');
const receiptOf = (cli: Cli) => JSON.parse(readFileSync(join(cli.folder, 'receipt.json'), 'utf8')) as object;

/** A database that was put back from a copy by hand, and the receipt of Ana, who was erased since. */
async function restored(before: (cli: Cli) => Promise<unknown> = async () => undefined): Promise<Cli> {
  const cli = cliEnvironment();
  await cli.seed([indication(1), indication(2)]);
  const copy = readFileSync(cli.database);
  await before(cli);
  expect((await cli.run(...erase)).code).toBe(0);
  writeFileSync(cli.database, copy);
  expect(bytesOf(cli)).toContain('Ana Prado');
  return cli;
}

it('erases the people again, and keeps the receipts with their numbers', async () => {
  const cli = await restored((one) =>
    one.run('privacy', 'erase', 'user:5', '--yes', '--reason', 'asked', '--receipt', 'other.json'),
  );

  const { code, rows } = await cli.run(
    'privacy',
    'reapply',
    '--receipts',
    'receipt.json',
    'other.json',
    '--json',
  );

  expect(code).toBe(0);
  expect(rows).toMatchObject([{ adopted: 2, rows: { event: 2 }, complete: true }]);
  expect(bytesOf(cli)).not.toContain('Ana Prado');
  const { out } = await cli.run('privacy', 'receipts', 'x1');
  expect(JSON.parse(out)).toEqual(receiptOf(cli));
  expect(JSON.parse(out)).toMatchObject({ erasure: 'x2', reason: 'asked', erased_rows: { event: 2 } });
  expect((await cli.run('privacy', 'verify', 'receipt.json')).code).toBe(0);
});

it('knows a receipt by its signature, also when it was formatted anew', async () => {
  const cli = await restored();
  await cli.run(...reapply);
  const reversed = Object.fromEntries(Object.entries(receiptOf(cli)).toReversed());
  writeFileSync(join(cli.folder, 'receipt.json'), JSON.stringify(reversed, null, 4));

  expect(await cli.run(...reapply)).toMatchObject({ code: 0, rows: [{ adopted: 0 }] });
});

it('leaves an erasure that was interrupted unfinished beside its receipt', async () => {
  const cli = cliEnvironment();
  await cli.seed([indication(1)]);
  await cli.withStore(async (store) => {
    const key = await store.erasureKey();
    const identifiers = [hashIdentifier({ type: 'cpf', value: ANA }, key)];
    const id = await store.beginErasure({ requestedBy: 'rui', reason: 'asked', identifiers });
    await store.beginErasureRun(id, { identifiers, process: 'fleet-1:1', startedAt: 0 });
  });
  const copy = readFileSync(cli.database);
  expect((await cli.run(...erase)).code).toBe(0);
  writeFileSync(cli.database, copy);

  const { code, rows } = await cli.run(...reapply);

  expect(code).toBe(5);
  expect(rows).toMatchObject([{ adopted: 1, unfinished: ['x1'], rows: { event: 1 } }]);
  expect(JSON.parse((await cli.run('privacy', 'receipts', 'x2')).out)).toEqual(receiptOf(cli));
});

it('keeps the rows of held subjects: it names them, and ends with code 5', async () => {
  const cli = await restored();
  await cli.run('privacy', 'hold', 'add', 'traffic-violation-indication:2', '--reason', 'case 12');

  const { code, rows, err } = await cli.run(...reapply);

  expect(code).toBe(5);
  expect(rows).toMatchObject([
    {
      rows: { event: 1 },
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
      rows: '1',
      held_rows: '1',
      held_subjects: 'traffic-violation-indication:2',
    },
  });
});

it('refuses a receipt of another key', async () => {
  const cli = await restored();
  const database = new BetterSqlite3(cli.database);
  database.exec('update erasure_key set key = randomblob(32)');
  database.close();

  const { code, err } = await cli.run(...reapply);

  expect([code, err]).toEqual([2, expect.stringContaining('its hashes cannot be used here')]);
  expect(bytesOf(cli)).toContain('Ana Prado');
});
