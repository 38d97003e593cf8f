import { expect, test } from 'vitest';
import { violation } from '../kit/cli-environment.ts';
import { cliWithHandledEvents, once, recorder } from '../kit/recording-handler.ts';

const WHY = ['--reason', 'the ledger is closed'];

/** One dead delivery, d4, and one pending delivery, d5, of its subject. */
async function cliWithOpenDeliveries() {
  const cli = await cliWithHandledEvents();
  await cli.seed([violation(2, 'c')]);
  return cli;
}

const statuses = async (cli: Awaited<ReturnType<typeof cliWithOpenDeliveries>>) =>
  (await cli.run('deliveries', 'list', '--json')).rows.map(
    ({ id, status }) => `${String(id)} ${String(status)}`,
  );

test('ends a dead and a pending delivery as skipped, and stores who did it, when and why', async () => {
  const cli = await cliWithOpenDeliveries();
  expect(await cli.run('deliveries', 'discard', 'd4', 'd5', ...WHY)).toMatchObject({
    code: 0,
    out: '2 discarded: d4 d5\n',
  });
  expect((await cli.run('deliveries', 'list', '--status', 'skipped', '--json')).rows).toMatchObject(
    [
      ['d5', /^discarded by ana at 2026-11-21T04:\S+Z: the ledger is closed$/],
      ['d4', /^discarded by ana at 2026-11-21T04:\S+Z: the ledger is closed; before: \S+/],
    ].map(([id, reason]) => ({ id, last_error: expect.stringMatching(reason as RegExp) as string })),
  );
  await cli.dispatch();
  expect(cli.calls()).toHaveLength(4);
});

test('lets the next delivery of the subject run', async () => {
  const cli = await cliWithOpenDeliveries();
  await cli.seed([violation(2, 'd')]);
  await cli.run('deliveries', 'discard', 'd5', ...WHY);
  await cli.dispatch();
  expect(cli.calls().at(-1)).toBe('log 2 d first');
});

test('discards deliveries of a handler that no longer exists', async () => {
  const cli = await cliWithHandledEvents({ old: recorder('old', once), log: recorder('log', once) });
  await cli.seed([violation(7), violation(8)]);
  const before = await cli.run('deliveries', 'list', '--handler', 'old', '--status', 'pending', '--json');
  expect(before.rows).toHaveLength(2);
  cli.env['PORTARIA_HANDLERS'] = '';

  const { code, rows } = await cli.run(
    'deliveries',
    'discard',
    '--handler',
    'old',
    '--status',
    'pending',
    '--json',
    ...WHY,
  );

  expect(code).toBe(0);
  expect(rows[0]?.['discarded']).toHaveLength(2);
  expect(
    (await cli.run('deliveries', 'list', '--handler', 'old', '--status', 'pending', '--json')).rows,
  ).toEqual([]);
});

test.each(['--plan', '--dry-run'])('%s needs no reason, and changes nothing', async (flag) => {
  const cli = await cliWithOpenDeliveries();
  const before = await statuses(cli);
  expect(await cli.run('deliveries', 'discard', '--handler', 'log', flag)).toMatchObject({
    code: 0,
    out: expect.stringContaining('1 delivery to discard') as string,
  });
  expect(await statuses(cli)).toEqual(before);
});

test('reports named deliveries that are over or do not exist, and discards the others', async () => {
  const cli = await cliWithOpenDeliveries();
  const { code, out } = await cli.run('deliveries', 'discard', 'd1', 'd4', 'd99', ...WHY);
  expect(code).toBe(5);
  expect(out).toBe(
    'd1: is succeeded; only pending and dead deliveries are discarded\n' +
      'd99: there is no such delivery\n' +
      '1 discarded: d4\n',
  );
  expect((await cli.run('deliveries', 'discard', 'd99', ...WHY)).code).toBe(3);
});

test.each([
  [[...WHY], 'No delivery is selected'],
  [['d4'], 'Add --reason'],
  [['d4', '--reason', '  '], 'Add --reason'],
  [['--handler', 'log', '--job', '--yes'], 'Add --reason'],
  [['--status', 'succeeded', ...WHY], 'only pending and dead'],
])('%j is rejected and changes nothing', async (flags, message) => {
  const cli = await cliWithOpenDeliveries();
  const before = await statuses(cli);
  const { code, err } = await cli.run('deliveries', 'discard', ...flags);
  expect(code).toBe(2);
  expect(err).toContain(message);
  expect(await statuses(cli)).toEqual(before);
});
