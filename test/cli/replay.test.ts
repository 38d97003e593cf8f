import { describe, expect, test } from 'vitest';
import { cliWorld, company, violation } from './cli-world.ts';
import { handledWorld, once, recorder } from './recording-world.ts';

/** Notes violations; its only effect calls for every status but `none`, and fails for the doomed. */
const ledger = `
  import { defineMachine } from 'portaria';
  export default defineMachine({
    name: 'ledger', on: 'traffic-violation.*', initial: { status: 'none' }, ${once}
    evolve: (state, { data }) => ({ status: data.status }),
    effects: {
      onChanged: {
        when: ({ before, after }) => before.status !== after.status,
        run({ after }) { if (after.status === 'doomed') throw new Error('as ever'); },
      },
    },
  });`;

describe('the plan', () => {
  test('counts events, subjects, calls per handler and what already succeeded; runs nothing', async () => {
    const world = await handledWorld({
      log: recorder('log', once),
      other: recorder('other', `${once} stale: false,`),
    });
    const { rows } = await world.run('replay', '--dry-run', '--json');
    expect(rows).toEqual([
      {
        replay: null,
        target: null,
        events: 4,
        events_called: 4,
        subjects: 2,
        calls: 8,
        handlers: [
          { handler: 'log', calls: 4, already_succeeded: 3, stale: 0 },
          { handler: 'other', calls: 4, already_succeeded: 3, stale: 0 },
        ],
      },
    ]);
    const { out } = await world.run('replay', '--dry-run', '--handler', 'log', '--if-not-succeeded');
    expect(out).toContain('4 events of 2 subjects match, 1 call of 1 event\n');
    expect(out).toMatch(/log +1 +3 +0/);
    expect(world.again()).toEqual([]);
    expect((await world.run('deliveries', 'list', '--json')).rows).toHaveLength(8);
  });

  test('stale events go to those that take them, as when they arrived', async () => {
    const world = cliWorld({ all: recorder('all', 'stale: true,'), fresh: recorder('fresh') });
    await world.seed([company(1, '2026-11-02T00:00:00Z'), company(1, '2026-11-01T00:00:00Z')]);
    const [plan] = (await world.run('replay', '--dry-run', '--json')).rows;
    expect(plan?.['handlers']).toEqual([
      { handler: 'all', calls: 2, already_succeeded: 0, stale: 0 },
      { handler: 'fresh', calls: 1, already_succeeded: 0, stale: 1 },
    ]);
  });

  test.each([
    [['--subject', 'traffic-violation:1'], 2],
    [['--id', '1', '--id', '4'], 2],
    [['--status', 'dead'], 1],
    [['--kind', 'charge.*'], 0],
    [['--until', '1d'], 0],
    [['--source', 'default', '--since', '1h'], 4],
  ])('%j chooses %i events', async (flags, events) => {
    const [plan] = (await (await handledWorld()).run('replay', '--dry-run', '--json', ...flags)).rows;
    expect(plan).toMatchObject({ events, calls: events });
  });
});

describe('--status', () => {
  const calm = "export default defineHandler({ name: 'calm', on: '*', handle() {} });";

  test('chooses the deliveries in it, not all handlers of their events: in the plan and in the run', async () => {
    const world = await handledWorld({ log: recorder('log', once), calm });
    const dead = ['replay', '--status', 'dead'];
    const plan = async (...more: string[]) =>
      (await world.run(...dead, '--dry-run', '--json', ...more)).rows[0];
    expect(await plan()).toMatchObject({ calls: 1, events_called: 1 });
    expect((await plan())?.['handlers']).toMatchObject([
      { handler: 'calm', calls: 0 },
      { handler: 'log', calls: 1 },
    ]);
    expect(await plan('--handler', 'calm')).toMatchObject({ calls: 0, events_called: 0 });
    expect(await plan('--handler', 'log')).toMatchObject({ calls: 1 });

    expect((await world.run(...dead, '--yes', '--json')).rows).toMatchObject([
      { progress: { dead: 1, succeeded: 0 } },
    ]);
    expect(world.again()).toEqual(['log 2 doomed again']);
  });

  test('chooses a machine for its fold or one of its effects', async () => {
    const world = cliWorld({ ledger });
    await world.seed([violation(1, 'paid'), violation(2, 'doomed'), violation(3, 'none')]);
    await world.dispatch();
    const plan = async (status: string) =>
      (await world.run('replay', '--dry-run', '--json', '--status', status)).rows[0]?.['handlers'];
    expect(await plan('dead')).toMatchObject([
      { handler: 'ledger', calls: 1 },
      { handler: 'ledger/effects', calls: 1 },
    ]);
    expect(await plan('succeeded')).toMatchObject([
      { handler: 'ledger', calls: 3 },
      { handler: 'ledger/effects', calls: 2 },
    ]);
  });
});

describe('machines', () => {
  test('the plan tells how many effects will be delivered again', async () => {
    const world = cliWorld({ ledger });
    await world.seed([violation(1, 'paid'), violation(2, 'doomed'), violation(3, 'none')]);
    await world.dispatch();
    const run = await world.run('replay', '--yes');
    expect(run.err).toContain('3 events of 3 subjects, 5 calls');
    expect(run.err).toMatch(/ledger\/effects +2 +1 +0/);
    expect(run.out).toContain('4 succeeded, 1 dead');
    const { rows } = await world.run('replay', '--dry-run', '--json');
    expect(rows[0]?.['handlers']).toEqual([
      { handler: 'ledger', calls: 3, already_succeeded: 3, stale: 0 },
      { handler: 'ledger/effects', calls: 2, already_succeeded: 1, stale: 0 },
    ]);
  });

  test('effects alone cannot be replayed', async () => {
    const world = cliWorld({ ledger });
    await world.seed([]);
    const { code, err } = await world.run('replay', '--handler', 'ledger/effects', '--dry-run');
    expect(code).toBe(2);
    expect(err).toContain('with their machine, --handler ledger\n');
  });
});

describe('asking', () => {
  test('without a terminal and without --yes nothing is done', async () => {
    const world = await handledWorld();
    const { code, err } = await world.run('replay');
    expect(code).toBe(2);
    expect(err).toContain('add --yes');
    expect(await world.withStore((store) => store.replays(1))).toEqual([]);
  });

  test.each([
    ['y\n', 0, 4],
    ['yes\n', 0, 4],
    ['\n', 130, 0],
    ['no\n', 130, 0],
    ['', 130, 0],
  ])('%j to the question ends with %i', async (input, expected, calls) => {
    const world = await handledWorld({ log: recorder('log', `${once} stale: true,`) });
    const { code, err } = await world.begin(['replay'], { interactive: true, input }).ended;
    expect(err).toContain('Go ahead with 4 calls? [y/N]');
    expect(world.again()).toHaveLength(calls);
    // One of the four is doomed.
    expect(code).toBe(expected === 0 ? 5 : expected);
  });

  test('nothing to replay is said, and asked about by nobody', async () => {
    const { code, err } = await (await handledWorld()).run('replay', '--kind', 'charge.*');
    expect(code).toBe(0);
    expect(err).toContain('Nothing to replay.');
  });

  test('a kind that neither the contract nor an event has is refused; one of unrecognized events is not', async () => {
    const world = await handledWorld();
    for (const kind of ['chrge.*', 'traffic-violation.craeted']) {
      const { code, err } = await world.run('replay', '--dry-run', '--kind', 'charge.*', '--kind', kind);
      expect(code).toBe(2);
      expect(err).toContain(`error: no kind of the contract matches ${kind}`);
    }
    await world.seed([{ type: 'never.heard.of', data: { id: 1 } }]);
    const { code, err, rows } = await world.run('replay', '--dry-run', '--json', '--kind', 'never.*');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(rows).toMatchObject([{ events: 1 }]);
  });

  test.each([
    [['--handler', 'lgo'], 'did you mean log?', 2],
    [['--id', '99'], 'There is no event 99', 3],
    [['--resume', 'r9'], 'There is no replay r9', 3],
    [['--resume', 'r1', '--kind', 'charge.*'], '--resume goes on', 2],
    [['--to', 'http://localhost:1', '--handler', 'log'], '--to calls no handler', 2],
    [['--to', 'ftp://localhost'], 'http://', 2],
  ])('%j is refused', async (flags, message, expected) => {
    const { code, err } = await (await handledWorld()).run('replay', '--yes', ...flags);
    expect(code).toBe(expected);
    expect(err).toContain(message);
  });
});

describe('running without a serve', () => {
  test('calls the handlers here, in order per subject, and reports what died', async () => {
    const world = await handledWorld();
    const { code, out, err } = await world.run('replay', '--yes');
    expect(code).toBe(5);
    expect(out).toBe('r1: 0 pending, 0 running, 3 succeeded, 1 dead, 0 skipped\n');
    expect(err).toContain('portaria deliveries list --replay r1 --status dead');
    const ofSubject = (id: string) => world.again().filter((call) => call.startsWith(`log ${id} `));
    expect(ofSubject('1')).toEqual(['log 1 a again', 'log 1 b again']);
    expect(ofSubject('2')).toEqual(['log 2 a again', 'log 2 doomed again']);
  });

  test('with --if-not-succeeded only what failed runs again', async () => {
    const world = await handledWorld();
    await world.run('replay', '--yes', '--if-not-succeeded');
    expect(world.again()).toEqual(['log 2 doomed again']);
  });

  test('with --json the replay is reported as an object', async () => {
    const { rows } = await (
      await handledWorld()
    ).run('replay', '--yes', '--json', '--subject', 'traffic-violation:1');
    expect(rows).toMatchObject([
      { id: 'r1', status: 'finished', handlers: ['log'], progress: { succeeded: 2, dead: 0, pending: 0 } },
    ]);
  });

  test('leaves what else waits alone, and says that the rest waits behind it', async () => {
    const world = await handledWorld();
    await world.seed([violation(1, 'unhandled')]);
    const { code, err, out } = await world.run('replay', '--yes', '--id', '1');
    expect(world.again()).toEqual([]);
    expect(world.calls()).not.toContain('log 1 unhandled first');
    expect(code).toBe(5);
    expect(out).toContain('1 pending');
    expect(err).toContain('waits behind earlier deliveries');
    expect(err).toContain('portaria replay --resume r1');

    await world.dispatch();
    expect(world.calls().slice(-2)).toEqual(['log 1 unhandled first', 'log 1 a again']);
    expect(await world.run('replay', '--resume', 'r1')).toMatchObject({ code: 0 });
  });

  test('a failing try is repeated before the replay ends', async () => {
    const world = await handledWorld({
      log: recorder('log', 'retry: { attempts: 3, baseMs: 20, maxMs: 20 },'),
    });
    await world.run('replay', '--yes', '--id', '4');
    expect(world.again()).toEqual(Array.from({ length: 3 }, () => 'log 2 doomed again'));
  });

  test('Ctrl-C stops cleanly, and the command it prints goes on', async () => {
    const world = await handledWorld();
    const { terminal, ended } = world.begin(['replay', '--yes', '--rate', '0.01']);
    // At this rate the second call is minutes away.
    await terminal.said('4 events of 2 subjects');
    await expect.poll(() => world.again()).toHaveLength(1);
    terminal.interrupt();
    const { code, err } = await ended;
    expect(code).toBe(130);
    expect(err).toContain('Go on with: portaria replay --resume r1 --rate 0.01');

    const resumed = await world.run('replay', '--resume', 'r1');
    expect(resumed.err).toContain('r1 goes on: 3 events of 2 subjects, 3 calls');
    expect(resumed.code).toBe(5);
    expect(world.again().toSorted()).toEqual(
      ['log 1 a again', 'log 1 b again', 'log 2 a again', 'log 2 doomed again'].toSorted(),
    );
    expect((await world.run('replay', '--resume', 'r1')).out).toContain('3 succeeded, 1 dead');
  });
});

describe('what arrives after a replay was asked for', () => {
  test('is not part of it, nor of what is left when it is resumed', async () => {
    const world = await handledWorld();
    const { terminal, ended } = world.begin(['replay', '--yes', '--rate', '0.01']);
    await terminal.said('4 events of 2 subjects');
    await expect.poll(() => world.again()).toHaveLength(1);
    terminal.interrupt();
    await ended;
    await world.seed([violation(3, 'later')]);

    const resumed = await world.run('replay', '--resume', 'r1');

    expect(resumed.err).toContain('r1 goes on: 3 events of 2 subjects, 3 calls');
    expect(world.again()).not.toContain('log 3 later again');
    const { rows } = await world.run('replay', 'list', '--json');
    expect(rows).toMatchObject([{ filter: { up_to: expect.stringMatching(/-4$/) } }]);
    expect(rows[0]?.['filter']).not.toHaveProperty('until');
  });

  test('is not part of it when there was nothing before', async () => {
    const world = cliWorld({ log: recorder('log', once) });
    await world.seed([]);

    const { code, err } = await world.run('replay', '--yes');

    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('Nothing to replay.') });
  });
});

test('beside a running serve, that one makes the calls', async () => {
  const world = await handledWorld();
  const serve = world.begin(['serve']);
  await serve.terminal.said('Try it');
  const { code, out } = await world.run(
    'replay',
    '--yes',
    '--subject',
    'traffic-violation:1',
    '--concurrency',
    '1',
  );
  expect(code).toBe(0);
  expect(out).toContain('2 succeeded');
  expect(world.again()).toEqual(['log 1 a again', 'log 1 b again']);
  serve.terminal.interrupt();
  expect(await serve.ended).toMatchObject({ code: 0 });
});
