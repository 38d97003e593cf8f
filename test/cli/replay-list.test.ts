import { expect, test } from 'vitest';
import { cliWorld, violation } from './cli-world.ts';
import { handledWorld, once, recorder } from './recording-world.ts';

test('given no replay yet, it says so', async () => {
  const world = cliWorld({ log: recorder('log') });
  await world.seed([violation(1)]);

  expect(await world.run('replay', 'list')).toMatchObject({ code: 0, out: 'There was no replay yet.\n' });
  expect((await world.run('replay', 'list', '--json')).rows).toEqual([]);
});

test('replays are listed, the newest first, with what became of their deliveries', async () => {
  const world = await handledWorld({ log: recorder('log', once) });
  await world.run('replay', '--yes', '--subject', 'traffic-violation:1');
  await world.run('replay', '--yes', '--status', 'dead');

  const { rows } = await world.run('replay', 'list', '--json');

  expect(rows).toMatchObject([
    { id: 'r2', status: 'finished', handlers: ['log'], progress: { dead: 1, succeeded: 0, pending: 0 } },
    { id: 'r1', status: 'finished', filter: { subject: 'traffic-violation:1' }, progress: { succeeded: 2 } },
  ]);
  const { out } = await world.run('replay', 'list');
  expect(out).toMatch(/^REPLAY +CREATED +STATUS +TO +PENDING +SUCCEEDED +DEAD +SKIPPED *$/m);
  expect(out).toMatch(/^r2 .* finished +log +0 +0 +1 +0 *$/m);
});

test('as many as are asked for', async () => {
  const world = await handledWorld({ log: recorder('log', once) });
  for (let replays = 1; replays <= 3; replays += 1) await world.run('replay', '--yes', '--id', '1');

  const { rows, err } = await world.run('replay', 'list', '--limit', '2', '--json');

  expect(rows).toMatchObject([{ id: 'r3' }, { id: 'r2' }]);
  expect(err).toContain('Cut at 2');
});

test.each([[['list', '--kind', 'charge.*']], [['list', 'r1']], [['lsit']]])(
  'replay %j is a mistake, and starts nothing',
  async (flags) => {
    const world = await handledWorld({ log: recorder('log', once) });

    expect(await world.run('replay', ...flags)).toMatchObject({ code: 2 });
    expect((await world.run('replay', 'list', '--json')).rows).toEqual([]);
  },
);
