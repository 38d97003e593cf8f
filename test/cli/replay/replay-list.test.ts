import { expect, test } from 'vitest';
import { cliEnvironment, violation } from '../kit/cli-environment.ts';
import { cliWithHandledEvents, once, recorder } from '../kit/recording-handler.ts';

test('says that there is no replay yet', async () => {
  const cli = cliEnvironment({ log: recorder('log') });
  await cli.seed([violation(1)]);

  expect(await cli.run('replay', 'list')).toMatchObject({
    code: 0,
    out: 'There is no replay yet; `replay --dry-run` shows what one would run.\n',
  });
  expect((await cli.run('replay', 'list', '--json')).rows).toEqual([]);
});

test('lists replays with their progress, newest first', async () => {
  const cli = await cliWithHandledEvents({ log: recorder('log', once) });
  await cli.run('replay', '--yes', '--subject', 'traffic-violation:1');
  await cli.run('replay', '--yes', '--status', 'dead');

  const { rows } = await cli.run('replay', 'list', '--json');

  expect(rows).toMatchObject([
    { id: 'r2', status: 'finished', handlers: ['log'], progress: { dead: 1, succeeded: 0, pending: 0 } },
    { id: 'r1', status: 'finished', filter: { subject: 'traffic-violation:1' }, progress: { succeeded: 2 } },
  ]);
  const { out } = await cli.run('replay', 'list');
  expect(out).toMatch(/^REPLAY +CREATED +STATUS +TO +LEFT +ENQUEUED +WAITING +SUCCEEDED +DEAD +SKIPPED *$/m);
  expect(out).toMatch(/^r2 .* finished +log +0 +1 +0 +0 +1 +0 *$/m);
});

test('lists at most --limit replays', async () => {
  const cli = await cliWithHandledEvents({ log: recorder('log', once) });
  for (let replays = 1; replays <= 3; replays += 1) await cli.run('replay', '--yes', '--id', '1');

  const { rows, err } = await cli.run('replay', 'list', '--limit', '2', '--json');

  expect(rows).toMatchObject([{ id: 'r3' }, { id: 'r2' }]);
  expect(err).toContain('More than 2 rows');
});

test.each([[['list', '--kind', 'charge.*']], [['list', 'r1']], [['lsit']]])(
  'rejects replay %j and starts nothing',
  async (flags) => {
    const cli = await cliWithHandledEvents({ log: recorder('log', once) });

    expect(await cli.run('replay', ...flags)).toMatchObject({ code: 2 });
    expect((await cli.run('replay', 'list', '--json')).rows).toEqual([]);
  },
);
