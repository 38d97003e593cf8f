import { describe, expect, test } from 'vitest';
import { cliWorld, violation } from './cli-world.ts';

/** `flaky` refuses violation 2, `calm` takes all; both once only. */
const handlers = {
  calm: "export default defineHandler({ name: 'calm', on: '*', handle() {} });",
  flaky: `export default defineHandler({
    name: 'flaky', on: 'traffic-violation.*', retry: { attempts: 2, baseMs: 1, maxMs: 1 },
    handle({ data }) { if (data.id === 2) throw new Error('no second violation\\u001b[2J'); },
  });`,
};

async function handledWorld() {
  const world = cliWorld(handlers);
  await world.seed([violation(1), violation(2), violation(3)]);
  await world.dispatch();
  return world;
}

describe('deliveries list', () => {
  test('a row has event, handler, subject, status, attempts and last error', async () => {
    const { rows } = await (await handledWorld()).run('deliveries', 'list', '--json', '--status', 'dead');
    expect(rows).toEqual([
      {
        id: expect.stringMatching(/^d\d+$/) as string,
        event_id: expect.stringMatching(/-2$/) as string,
        kind: 'traffic-violation.created',
        subject: 'traffic-violation:2',
        source: 'default',
        handler: 'flaky',
        effect: null,
        replay: null,
        status: 'dead',
        attempts: 2,
        last_error: expect.stringContaining('no second violation') as string,
        due_at: null,
        finished_at: expect.any(String) as string,
      },
    ]);
  });

  test.each([
    [['--handler', 'calm'], 3],
    [['--handler', 'flaky', '--status', 'succeeded'], 2],
    [['--event', '2'], 2],
    [['--subject', 'traffic-violation:3'], 2],
    [['--source', 'elsewhere'], 0],
    [['--id', 'd1', '--id', 'd2'], 2],
    [['--replay', 'r1'], 0],
    [['--limit', '4'], 4],
  ])('%j chooses %i', async (flags, count) => {
    const { rows } = await (await handledWorld()).run('deliveries', 'list', '--json', ...flags);
    expect(rows).toHaveLength(count);
  });

  test('for people: one line each, nothing that a terminal obeys', async () => {
    const { out } = await (await handledWorld()).run('deliveries', 'list');
    expect(out.trimEnd().split('\n')).toHaveLength(7);
    expect(out).not.toContain('\u001b');
  });
});

test('deliveries show tells one, or that there is none', async () => {
  const world = await handledWorld();
  expect((await world.run('deliveries', 'show', 'd1')).out).toMatch(/^status +succeeded$/m);
  expect((await world.run('deliveries', 'show', 'd1', '--json')).rows).toMatchObject([{ id: 'd1' }]);
  expect(await world.run('deliveries', 'show', 'd99')).toMatchObject({ code: 3 });
});

describe('deliveries retry', () => {
  const dead = ['deliveries', 'list', '--json', '--status', 'dead'] as const;

  test('gives dead ones fresh tries, by id or by choice', async () => {
    for (const choice of ['--status', '--handler', 'id'] as const) {
      const world = await handledWorld();
      const [{ id } = {}] = (await world.run(...dead)).rows;
      const args = {
        '--status': ['--status', 'dead'],
        '--handler': ['--handler', 'flaky'],
        id: [String(id)],
      };
      expect(await world.run('deliveries', 'retry', ...args[choice])).toMatchObject({
        code: 0,
        out: `1 retried: ${String(id)}\n`,
      });
      expect((await world.run('deliveries', 'list', '--json', '--status', 'pending')).rows).toMatchObject([
        { id, attempts: 0 },
      ]);
    }
  });

  test('a dry run changes nothing', async () => {
    const world = await handledWorld();
    const { out, code } = await world.run('deliveries', 'retry', '--status', 'dead', '--dry-run');
    expect(code).toBe(0);
    expect(out).toMatch(/^1 would be retried: d\d+\n$/);
    expect((await world.run(...dead)).rows).toHaveLength(1);
  });

  test('what is not dead or does not exist is named, and left alone', async () => {
    const world = await handledWorld();
    const [{ id } = {}] = (await world.run(...dead)).rows;
    const both = await world.run('deliveries', 'retry', 'd1', String(id));
    expect(both.code).toBe(5);
    expect(both.out).toContain('d1: is succeeded');
    expect(await world.run('deliveries', 'retry', 'd1')).toMatchObject({ code: 1 });
    const none = await world.run('deliveries', 'retry', 'd99', '--json');
    expect(none).toMatchObject({
      code: 3,
      rows: [{ retried: [], left_alone: [{ id: 'd99', status: null }] }],
    });
  });

  test('without ids and conditions nothing is guessed', async () => {
    const { code, err } = await (await handledWorld()).run('deliveries', 'retry');
    expect(code).toBe(2);
    expect(err).toContain('--status dead');
  });
});
