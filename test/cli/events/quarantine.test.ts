import { describe, expect, test } from 'vitest';
import { cliEnvironment, violation } from '../kit/cli-environment.ts';

const invalid = {
  type: 'console-user.created',
  data: { id: 7, name: 'Beatriz', email: 'b@example.com', updated_at: '2026-11-02T00:00:00Z' },
};

async function cliWithHeldEntries() {
  const cli = cliEnvironment();
  await cli.seed(['{broken', invalid, '{broken']);
  return cli;
}

describe('quarantine list and show', () => {
  test('prints why each entry is held', async () => {
    const cli = await cliWithHeldEntries();
    const { rows } = await cli.run('quarantine', 'list', '--json');
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
    expect((await cli.run('quarantine', 'list')).out.split('\n')[1]).toContain('q2');
  });

  const narrowed = [
    [['--reason', 'malformed'], ['q1']],
    [['--kind', 'console-user.created'], ['q2']],
    [['--status', 'released'], []],
    [['--id', 'q1'], ['q1']],
    [['--source', 'elsewhere'], []],
    [['--limit', '1'], ['q2']],
  ];

  test('the list is narrowed by each flag', async () => {
    const cli = await cliWithHeldEntries();
    for (const [flags = [], ids] of narrowed) {
      const { rows } = await cli.run('quarantine', 'list', '--json', ...flags);
      expect(
        rows.map(({ id }) => id),
        flags.join(' '),
      ).toEqual(ids);
    }
  });

  test('show masks without --unmask, even a body that is not JSON', async () => {
    const cli = await cliWithHeldEntries();
    const masked = await cli.run('quarantine', 'show', 'q2');
    expect(masked.out).toContain('data.id: ');
    expect(masked.out).not.toContain('b@example.com');
    expect((await cli.run('quarantine', 'show', 'q2', '--unmask')).out).toContain('b@example.com');
    expect((await cli.run('quarantine', 'show', 'q1')).out).not.toContain('{broken');
    expect((await cli.run('quarantine', 'show', 'q1', '--unmask', '--json')).rows[0]).toMatchObject({
      body: '{broken',
    });
    expect(await cli.run('quarantine', 'show', 'q9')).toMatchObject({ code: 3 });
  });
});

describe('quarantine release', () => {
  test('without ids, leaves invalid entries held, says why and ends with 0', async () => {
    const cli = await cliWithHeldEntries();
    const { code, rows } = await cli.run('quarantine', 'release', '--json');
    expect(code).toBe(0);
    expect(rows).toMatchObject([
      { id: 'q1', outcome: 'held' },
      { id: 'q2', outcome: 'held', issues: [{ path: 'data.id' }] },
    ]);
    expect((await cli.run('quarantine', 'list', '--json', '--status', 'held')).rows).toHaveLength(2);
  });

  test('ends with 1 when a named entry stays held', async () => {
    const cli = await cliWithHeldEntries();
    expect(await cli.run('quarantine', 'release', 'q2')).toMatchObject({ code: 1 });
    expect(await cli.run('quarantine', 'release', 'q9')).toMatchObject({ code: 3 });
  });

  test('delivers a valid entry to its handlers; --dry-run is its plan', async () => {
    const cli = cliEnvironment({
      log: "export default defineHandler({ name: 'log', on: '*', handle() {} });",
    });
    await cli.seed([violation(1)], { messageId: 'msg_1' });
    // The same message id with different content is held as a conflict, and is valid by itself.
    await cli.seed([violation(2)], { messageId: 'msg_1' });
    const dry = await cli.run('quarantine', 'release', 'q1', '--dry-run', '--json');
    expect(dry.rows).toMatchObject([{ action: 'release', items: 1, entries: { tried: 1, passing: 1 } }]);
    expect((await cli.run('events', 'list', '--json')).rows).toHaveLength(1);

    const { code, out } = await cli.run('quarantine', 'release', 'q1', '--yes');
    expect(code).toBe(0);
    expect(out).toMatch(/q1 +released +traffic-violation\.created/);
    const { rows } = await cli.run('events', 'list', '--json');
    expect(rows[0]).toMatchObject({ subject: 'traffic-violation:2', flags: ['released'] });
    expect((await cli.run('deliveries', 'list', '--json', '--event', '2')).rows).toHaveLength(1);
  });

  test('says that no entry is held', async () => {
    const cli = cliEnvironment();
    await cli.seed([]);
    expect(await cli.run('quarantine', 'release')).toMatchObject({ code: 0, out: 'No entry is held.\n' });
  });
});

describe('quarantine discard', () => {
  const why = ['--reason', 'the sender is mended'] as const;

  test('removes named and selected entries with their bytes, and records who did it and why', async () => {
    const cli = await cliWithHeldEntries();
    const { code, rows } = await cli.run('quarantine', 'discard', 'q1', ...why, '--yes', '--json');
    expect([code, rows]).toEqual([0, [{ discarded: ['q1'], left_alone: [] }]]);
    expect((await cli.run('quarantine', 'list', '--json')).rows.map(({ id }) => id)).toEqual(['q2']);
    expect((await cli.run('quarantine', 'show', 'q1')).err).toContain('discarded by an operator');
    const audit = (await cli.run('audit', 'list', '--json')).rows;
    expect(audit).toMatchObject([
      {
        action: 'discardQuarantine',
        subject: { ids: 'q1', discarded: '1' },
        reason: 'the sender is mended',
        result: 'done',
      },
    ]);
    expect((await cli.run('stats', '--json')).rows[0]).toMatchObject({ quarantine_held: 1 });
  });

  test.each([
    [['--quarantined-for', 'malformed'], ['q1']],
    [['--kind', 'console-user.created'], ['q2']],
    [
      ['--source', 'default'],
      ['q1', 'q2'],
    ],
    [['--id', 'q2', '--kind', 'console-user.deleted'], []],
  ])('%j selects %j', async (flags, ids) => {
    const cli = await cliWithHeldEntries();
    const { rows } = await cli.run('quarantine', 'discard', ...flags, '--dry-run', '--json');
    expect(rows).toMatchObject([{ discarded: ids }]);
  });

  test('selects the entries of a problem', async () => {
    const cli = await cliWithHeldEntries();
    const problems = (await cli.run('quarantine', 'problems', '--json')).rows;
    const problem = String(problems.find(({ reason }) => reason === 'invalid')?.['problem']);
    await cli.run('quarantine', 'discard', '--problem', problem, ...why, '--yes');
    expect((await cli.run('quarantine', 'list', '--json')).rows.map(({ id }) => id)).toEqual(['q1']);
  });

  test('a dry run changes nothing and leaves nothing in the audit', async () => {
    const cli = await cliWithHeldEntries();
    const { out } = await cli.run('quarantine', 'discard', '--source', 'default', '--dry-run');
    expect(out).toBe('2 would be discarded: q1 q2\n');
    expect((await cli.run('quarantine', 'list', '--json')).rows).toHaveLength(2);
    expect((await cli.run('audit', 'list', '--json')).rows).toEqual([]);
  });

  test('asks first, and discards nothing without a yes', async () => {
    const cli = await cliWithHeldEntries();
    expect(await cli.run('quarantine', 'discard', 'q1', ...why)).toMatchObject({
      code: 2,
      err: expect.stringContaining('add --yes') as string,
    });
    expect((await cli.run('quarantine', 'list', '--json')).rows).toHaveLength(2);
  });

  test.each([
    [['q1', '--yes'], 'Add --reason'],
    [['q1', '--yes', '--reason', '  '], 'Add --reason'],
    [['--yes', ...why], 'No entry is selected: name ids'],
    [['--dry-run'], 'No entry is selected: name ids'],
  ])('rejects %j', async (args, message) => {
    const cli = await cliWithHeldEntries();
    const { code, err } = await cli.run('quarantine', 'discard', ...args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect((await cli.run('quarantine', 'list', '--json')).rows).toHaveLength(2);
  });

  test('leaves released entries alone, and says which do not exist', async () => {
    const cli = cliEnvironment();
    await cli.seed([invalid, '{broken']);
    await cli.run('quarantine', 'release', '--force', 'q1');
    const { code, rows } = await cli.run(
      'quarantine',
      'discard',
      'q1',
      'q2',
      'q9',
      ...why,
      '--yes',
      '--json',
    );
    expect([code, rows]).toEqual([
      5,
      [
        {
          discarded: ['q2'],
          left_alone: [
            { id: 'q1', status: 'released' },
            { id: 'q9', status: null },
          ],
        },
      ],
    ]);
    expect(await cli.run('quarantine', 'discard', 'q9', ...why, '--yes')).toMatchObject({ code: 3 });
  });
});
