/** Erasing again, by `reapply` and `restore`, keeps everything of a person of whom a subject is held. */
import { readFileSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { expect, it } from 'vitest';
import { hashIdentifier } from '../../../src/privacy/person.ts';
import { cliEnvironment } from '../kit/cli-environment.ts';

const ANA = '12345678909';
const BRUNO = '98765432100';

type Cli = ReturnType<typeof cliEnvironment>;

const login = {
  type: 'user.login.started',
  data: { id: 77, uid: ANA, connected: false, step: null, attempt: 1 },
};

const indication = (id: number, cpf: string) => ({
  type: 'traffic-violation.indication.created',
  data: { id, status: 'pending', tax_id: cpf, name: 'A name' },
});

const erase = (cpf: string) => ['privacy', 'erase', cpf, '--yes', '--reason', 'asked', '--json'] as const;
const reapply = ['privacy', 'reapply', '--json'] as const;
const hold = (action: 'add' | 'remove') =>
  ['privacy', 'hold', action, 'user:77', ...(action === 'add' ? ['--reason', 'case 12'] : [])] as const;

const cpfOfAna = { type: 'cpf', value: ANA } as const;
const loginOfAna = { type: 'subject', value: 'user-login:77' } as const;

/** Begins an erasure that nobody finished. */
function interrupt(cli: Cli, ...known: readonly (typeof cpfOfAna | typeof loginOfAna)[]): Promise<string> {
  return cli.withStore(async (store) => {
    const key = await store.erasureKey();
    const identifiers = known.map((one) => hashIdentifier(one, key));
    const id = await store.beginErasure({ requestedBy: 'rui', reason: 'request 16', identifiers });
    await store.beginErasureRun(id, { identifiers, process: 'fleet-1:1', startedAt: 0 });
    return id;
  });
}

const bytesOf = (cli: Cli) => readFileSync(cli.database, 'latin1');

it('reapply keeps a held person whole, erases others again, and ends with code 5', async () => {
  const cli = cliEnvironment();
  await cli.seed([login, indication(1, ANA), indication(2, BRUNO)]);
  expect((await cli.run(...erase(BRUNO))).code).toBe(0);
  await cli.seed([indication(3, BRUNO)]);
  expect(await interrupt(cli, cpfOfAna, loginOfAna)).toBe('x2');
  await cli.run(...hold('add'));
  expect((await cli.run(...erase(ANA))).code).toBe(7);

  const { code, rows, err } = await cli.run(...reapply);
  expect(code).toBe(5);
  expect(rows).toMatchObject([
    { unfinished: [], rows: { event: 1 }, held_rows: 0, kept_by_hold: ['x2'], complete: false },
  ]);
  expect(err).toContain(
    'x2 was not applied again, because the person is under a legal hold. When the hold has ended, run `portaria privacy reapply`.',
  );
  expect(bytesOf(cli)).not.toContain(BRUNO);
  const { out } = await cli.run('privacy', 'find', ANA, '--json');
  expect(out).toContain('traffic-violation.indication.created');
  expect((await cli.run('privacy', 'reapply')).out).toMatch(/erasures kept by a hold +x2$/mu);

  await cli.run(...hold('remove'));
  const after = await cli.run(...reapply);
  expect(after.code).toBe(5);
  expect(after.rows).toMatchObject([
    { unfinished: ['x2'], rows: { event: 2 }, kept_by_hold: [], complete: false },
  ]);
  expect((await cli.run(...erase(ANA))).code).toBe(0);
  expect(JSON.parse((await cli.run('privacy', 'receipts', 'x2')).out)).toMatchObject({
    erased_rows: { event: 2 },
  });
  expect(bytesOf(cli)).not.toContain(ANA);
});

it('reapply keeps also the erasures that know the held person by fewer identifiers', async () => {
  const cli = cliEnvironment();
  await cli.seed([indication(1, ANA)]);
  expect((await cli.run(...erase(ANA))).code).toBe(0);
  await cli.seed([login, indication(2, ANA)]);
  await interrupt(cli, cpfOfAna);
  await interrupt(cli, cpfOfAna, loginOfAna);
  await cli.run(...hold('add'));

  const { code, rows } = await cli.run(...reapply);
  expect(code).toBe(5);
  expect(rows).toMatchObject([{ unfinished: [], rows: { event: 0 }, kept_by_hold: ['x1', 'x2', 'x3'] }]);
});

it('reapply stops before the next page of rows when a person in the ledger is held meanwhile', async () => {
  const cli = cliEnvironment();
  const ids = Array.from({ length: 150 }, (_, at) => at + 2);
  await cli.seed([login]);
  expect((await cli.run(...erase(ANA))).code).toBe(0);
  await cli.seed(ids.map((id) => indication(id, ANA)));
  const database = new BetterSqlite3(cli.database);
  database.exec(
    `create trigger held after update of body on events
     begin insert or ignore into holds values ('user', '77', 'case 12', 'rui', 0); end`,
  );
  database.close();

  const { code, rows, err } = await cli.run(...reapply);
  expect(code).toBe(5);
  expect(rows).toMatchObject([{ rows: { event: 100 }, kept_by_hold: ['x1'], complete: false }]);
  expect(err).toContain('Not finished: a legal hold of user:77 was placed meanwhile. Run the command again.');
  expect(bytesOf(cli)).toContain(ANA);
});

it.each([
  ['while it was held', 5, ['x1'], 0],
  ['before the hold', 0, [], 2],
] as const)('a restore of a person whose erasure was tried %s ends with code %i', async (...expected) => {
  const [when, expectedCode, kept, events] = expected;
  const cli = cliEnvironment();
  await cli.seed([login, indication(1, ANA)]);
  expect((await cli.run('backup', 'copy.db')).code).toBe(0);
  if (when === 'before the hold') expect((await cli.run(...erase(ANA))).code).toBe(0);
  else await interrupt(cli, cpfOfAna, loginOfAna);
  await cli.run(...hold('add'));

  const { code, rows, err } = await cli.run('restore', 'copy.db', '--yes', '--json');
  expect(code).toBe(expectedCode);
  expect(rows).toMatchObject([
    {
      holds: 2,
      erased_again: { rows: { event: events }, held_rows: 0, kept_by_hold: kept, complete: code === 0 },
    },
  ]);
  expect(err.includes('x1 was not applied again, because the person is under a legal hold')).toBe(code === 5);
  expect(bytesOf(cli).includes(ANA)).toBe(code === 5);
  expect((await cli.run('privacy', 'hold', 'list', '--json')).rows).toHaveLength(2);
});
