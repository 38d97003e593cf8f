import { describe, expect, test } from 'vitest';
import { cliWorld, violation } from './cli-world.ts';

const invalid = {
  type: 'console-user.created',
  data: { id: 7, name: 'Beatriz', email: 'b@example.com', updated_at: '2026-11-02T00:00:00Z' },
};

async function heldWorld() {
  const world = cliWorld();
  await world.seed(['{broken', invalid, '{broken']);
  return world;
}

describe('quarantine list and show', () => {
  test('rows tell why each is held', async () => {
    const world = await heldWorld();
    const { rows } = await world.run('quarantine', 'list', '--json');
    expect(rows).toMatchObject([
      {
        id: 'q2',
        reason: 'invalid',
        kind: 'console-user.created',
        status: 'held',
        issues: [{ path: 'data.id' }],
      },
      { id: 'q1', reason: 'malformed', kind: null, repeats: 1 },
    ]);
    expect((await world.run('quarantine', 'list')).out.split('\n')[1]).toContain('q2');
  });

  test.each([
    [['--reason', 'malformed'], ['q1']],
    [['--kind', 'console-user.created'], ['q2']],
    [['--status', 'released'], []],
    [['--id', 'q1'], ['q1']],
    [['--source', 'elsewhere'], []],
    [['--limit', '1'], ['q2']],
  ])('%j chooses %j', async (flags, ids) => {
    const { rows } = await (await heldWorld()).run('quarantine', 'list', '--json', ...flags);
    expect(rows.map(({ id }) => id)).toEqual(ids);
  });

  test('show masks until asked, also what is no JSON', async () => {
    const world = await heldWorld();
    const masked = await world.run('quarantine', 'show', 'q2');
    expect(masked.out).toContain('data.id: ');
    expect(masked.out).not.toContain('b@example.com');
    expect((await world.run('quarantine', 'show', 'q2', '--unmask')).out).toContain('b@example.com');
    expect((await world.run('quarantine', 'show', 'q1')).out).not.toContain('{broken');
    expect((await world.run('quarantine', 'show', 'q1', '--unmask', '--json')).rows[0]).toMatchObject({
      body: '{broken',
    });
    expect(await world.run('quarantine', 'show', 'q9')).toMatchObject({ code: 3 });
  });
});

describe('quarantine release', () => {
  test('a sweep leaves held what still does not fit, and says why', async () => {
    const world = await heldWorld();
    const { code, rows } = await world.run('quarantine', 'release', '--json');
    expect(code).toBe(0);
    expect(rows).toMatchObject([
      { id: 'q1', outcome: 'held' },
      { id: 'q2', outcome: 'held', issues: [{ path: 'data.id' }] },
    ]);
    expect((await world.run('quarantine', 'list', '--json', '--status', 'held')).rows).toHaveLength(2);
  });

  test('what was named and is still held is a failure', async () => {
    const world = await heldWorld();
    expect(await world.run('quarantine', 'release', 'q2')).toMatchObject({ code: 1 });
    expect(await world.run('quarantine', 'release', 'q9')).toMatchObject({ code: 3 });
  });

  test('what fits goes to its handlers; a dry run only says so', async () => {
    const world = cliWorld({ log: "export default defineHandler({ name: 'log', on: '*', handle() {} });" });
    await world.seed([violation(1)], { messageId: 'msg_1' });
    // The same message id for another content is held as a conflict, and fits by its content.
    await world.seed([violation(2)], { messageId: 'msg_1' });
    const dry = await world.run('quarantine', 'release', 'q1', '--dry-run', '--json');
    expect(dry.rows).toMatchObject([{ id: 'q1', outcome: 'would-release' }]);
    expect((await world.run('events', 'list', '--json')).rows).toHaveLength(1);

    const { code, out } = await world.run('quarantine', 'release', 'q1');
    expect(code).toBe(0);
    expect(out).toMatch(/q1 +released +traffic-violation\.created/);
    const { rows } = await world.run('events', 'list', '--json');
    expect(rows[0]).toMatchObject({ subject: 'traffic-violation:2', flags: ['released'] });
    expect((await world.run('deliveries', 'list', '--json', '--event', '2')).rows).toHaveLength(1);
  });

  test('nothing held is said', async () => {
    const world = cliWorld();
    await world.seed([]);
    expect(await world.run('quarantine', 'release')).toMatchObject({ code: 0, out: 'Nothing is held.\n' });
  });
});
