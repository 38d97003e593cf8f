import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cliEnvironment, company, violation } from '../kit/cli-environment.ts';
import { cliWithHandledEvents, once, recorder } from '../kit/recording-handler.ts';

/** A machine whose effect runs for every status but `none`, and fails for `doomed`. */
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
  test('says which events are left out because they came before their kind was defined', async () => {
    const cli = cliEnvironment();
    await cli.seed([1, 2, 3].map((id) => ({ type: 'company.archived', data: { id } })));
    writeFileSync(
      join(cli.handlersFolder, 'archived.js'),
      `import { defineHandler, defineKind, z } from 'portaria';
       export const archived = defineKind('company.archived', { schema: z.object({ id: z.int() }) });
       export default defineHandler({ name: 'archive', on: archived, handle() {} });`,
    );

    const { out } = await cli.run('replay', '--kind', 'company.archived', '--dry-run');
    expect(out).toContain('3 events of 3 subjects match, 0 calls of 0 events\n');
    expect(out).toContain(
      '3 events left out: unrecognized when they came, before the kind was defined. ' +
        'A handler on a wildcard, such as company.*, gets them (docs/contract.md)\n',
    );
    const { rows } = await cli.run('replay', '--dry-run', '--json');
    expect(rows).toMatchObject([{ events: 3, events_called: 0, unrecognized: 3 }]);

    writeFileSync(
      join(cli.handlersFolder, 'any.js'),
      `import { defineHandler } from 'portaria';
       export default defineHandler({ name: 'any', on: 'company.*', handle() {} });`,
    );
    const wider = (await cli.run('replay', '--handler', 'any', '--dry-run', '--json')).rows;
    expect(wider).toMatchObject([{ events: 3, events_called: 3, unrecognized: 0 }]);
  });

  test('counts events, subjects, calls per handler and earlier successes, and runs nothing', async () => {
    const cli = await cliWithHandledEvents({
      log: recorder('log', once),
      other: recorder('other', `${once} stale: false,`),
    });
    const { rows } = await cli.run('replay', '--dry-run', '--json');
    expect(rows).toEqual([
      {
        replay: null,
        target: null,
        events: 4,
        events_called: 4,
        subjects: 2,
        pruned: 0,
        unrecognized: 0,
        calls: 8,
        handlers: [
          { handler: 'log', calls: 4, already_succeeded: 3, stale: 0 },
          { handler: 'other', calls: 4, already_succeeded: 3, stale: 0 },
        ],
      },
    ]);
    const { out } = await cli.run('replay', '--dry-run', '--handler', 'log', '--if-not-succeeded');
    expect(out).toContain('4 events of 2 subjects match, 1 call of 1 event\n');
    expect(out).toMatch(/log +1 +3 +0/);
    expect(cli.again()).toEqual([]);
    expect((await cli.run('deliveries', 'list', '--json')).rows).toHaveLength(8);
  });

  test('plans stale events only for handlers that take them', async () => {
    const cli = cliEnvironment({ all: recorder('all', 'stale: true,'), fresh: recorder('fresh') });
    await cli.seed([company(1, '2026-11-02T00:00:00Z'), company(1, '2026-11-01T00:00:00Z')]);
    const [plan] = (await cli.run('replay', '--dry-run', '--json')).rows;
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
  ])('%j selects %i events', async (flags, events) => {
    const [plan] = (await (await cliWithHandledEvents()).run('replay', '--dry-run', '--json', ...flags)).rows;
    expect(plan).toMatchObject({ events, calls: events });
  });
});

describe('--status', () => {
  const calm = "export default defineHandler({ name: 'calm', on: '*', handle() {} });";

  test('selects the deliveries in that status, not every handler of their events', async () => {
    const cli = await cliWithHandledEvents({ log: recorder('log', once), calm });
    const dead = ['replay', '--status', 'dead'];
    const plan = async (...more: string[]) =>
      (await cli.run(...dead, '--dry-run', '--json', ...more)).rows[0];
    expect(await plan()).toMatchObject({ calls: 1, events_called: 1 });
    expect((await plan())?.['handlers']).toMatchObject([
      { handler: 'calm', calls: 0 },
      { handler: 'log', calls: 1 },
    ]);
    expect(await plan('--handler', 'calm')).toMatchObject({ calls: 0, events_called: 0 });
    expect(await plan('--handler', 'log')).toMatchObject({ calls: 1 });

    expect((await cli.run(...dead, '--yes', '--json')).rows).toMatchObject([
      { progress: { dead: 1, succeeded: 0 } },
    ]);
    expect(cli.again()).toEqual(['log 2 doomed again']);
  });

  test('selects the folds and the effects of a machine', async () => {
    const cli = cliEnvironment({ ledger });
    await cli.seed([violation(1, 'paid'), violation(2, 'doomed'), violation(3, 'none')]);
    await cli.dispatch();
    const plan = async (status: string) =>
      (await cli.run('replay', '--dry-run', '--json', '--status', status)).rows[0]?.['handlers'];
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
  test('plans how many effects are delivered again', async () => {
    const cli = cliEnvironment({ ledger });
    await cli.seed([violation(1, 'paid'), violation(2, 'doomed'), violation(3, 'none')]);
    await cli.dispatch();
    const run = await cli.run('replay', '--yes');
    expect(run.err).toContain('3 events of 3 subjects, 5 calls');
    expect(run.err).toMatch(/ledger\/effects +2 +1 +0/);
    expect(run.out).toContain('4 succeeded, 1 dead');
    const { rows } = await cli.run('replay', '--dry-run', '--json');
    expect(rows[0]?.['handlers']).toEqual([
      { handler: 'ledger', calls: 3, already_succeeded: 3, stale: 0 },
      { handler: 'ledger/effects', calls: 2, already_succeeded: 1, stale: 0 },
    ]);
  });

  test('rejects effects without their machine', async () => {
    const cli = cliEnvironment({ ledger });
    await cli.seed([]);
    const { code, err } = await cli.run('replay', '--handler', 'ledger/effects', '--dry-run');
    expect(code).toBe(2);
    expect(err).toContain('with their machine, --handler ledger\n');
  });
});

describe('confirmation', () => {
  test('without a terminal and without --yes, does nothing', async () => {
    const cli = await cliWithHandledEvents();
    const { code, err } = await cli.run('replay');
    expect(code).toBe(2);
    expect(err).toContain('add --yes');
    expect(await cli.withStore((store) => store.replays(1))).toEqual([]);
  });

  test.each([
    ['y\n', 0, 4],
    ['yes\n', 0, 4],
    ['\n', 130, 0],
    ['no\n', 130, 0],
    ['', 130, 0],
  ])('the reply %j ends with %i', async (input, expected, calls) => {
    const cli = await cliWithHandledEvents({ log: recorder('log', `${once} stale: true,`) });
    const { code, err } = await cli.begin(['replay'], { interactive: true, input }).ended;
    expect(err).toContain('Start 4 calls? [y/N]');
    expect(cli.again()).toHaveLength(calls);
    // One of the four calls fails.
    expect(code).toBe(expected === 0 ? 5 : expected);
  });

  test('does not ask when there is nothing to replay', async () => {
    const { code, err } = await (await cliWithHandledEvents()).run('replay', '--kind', 'charge.*');
    expect(code).toBe(0);
    expect(err).toContain('Nothing to replay.');
  });

  test('rejects a kind that neither the contract nor an event has', async () => {
    const cli = await cliWithHandledEvents();
    for (const kind of ['chrge.*', 'traffic-violation.craeted']) {
      const { code, err } = await cli.run('replay', '--dry-run', '--kind', 'charge.*', '--kind', kind);
      expect(code).toBe(3);
      expect(err).toContain(`error: --kind ${kind} matches no kind of the contract`);
    }
    await cli.seed([{ type: 'never.heard.of', data: { id: 1 } }]);
    const { code, err, rows } = await cli.run('replay', '--dry-run', '--json', '--kind', 'never.*');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(rows).toMatchObject([{ events: 1 }]);
  });

  test.each([
    [['--handler', 'lgo'], 'did you mean log?', 3],
    [['--id', '99'], 'There is no event 99', 3],
    [['--resume', 'r9'], 'There is no replay r9', 3],
    [
      ['--resume', 'r1', '--kind', 'charge.*'],
      '--resume takes events, handlers and target from the replay',
      2,
    ],
    [['--to', 'http://localhost:1', '--handler', 'log'], '--to calls no handler', 2],
    [['--to', 'ftp://localhost'], 'http://', 2],
  ])('rejects %j', async (flags, message, expected) => {
    const { code, err } = await (await cliWithHandledEvents()).run('replay', '--yes', ...flags);
    expect(code).toBe(expected);
    expect(err).toContain(message);
  });
});

describe('running without a serve', () => {
  test('calls the handlers in this process, in order per subject, and reports dead deliveries', async () => {
    const cli = await cliWithHandledEvents();
    const { code, out, err } = await cli.run('replay', '--yes');
    expect(code).toBe(5);
    expect(out).toBe('r1: 0 pending, 0 running, 3 succeeded, 1 dead, 0 skipped\n');
    expect(err).toContain('portaria deliveries list --replay r1 --status dead');
    const ofSubject = (id: string) => cli.again().filter((call) => call.startsWith(`log ${id} `));
    expect(ofSubject('1')).toEqual(['log 1 a again', 'log 1 b again']);
    expect(ofSubject('2')).toEqual(['log 2 a again', 'log 2 doomed again']);
  });

  test('with --if-not-succeeded, calls only the handlers that have not succeeded', async () => {
    const cli = await cliWithHandledEvents();
    await cli.run('replay', '--yes', '--if-not-succeeded');
    expect(cli.again()).toEqual(['log 2 doomed again']);
  });

  test('with --json, prints the replay as an object', async () => {
    const { rows } = await (
      await cliWithHandledEvents()
    ).run('replay', '--yes', '--json', '--subject', 'traffic-violation:1');
    expect(rows).toMatchObject([
      { id: 'r1', status: 'finished', handlers: ['log'], progress: { succeeded: 2, dead: 0, pending: 0 } },
    ]);
  });

  test('leaves other deliveries alone, and says that the rest waits for them', async () => {
    const cli = await cliWithHandledEvents();
    await cli.seed([violation(1, 'unhandled')]);
    const { code, err, out } = await cli.run('replay', '--yes', '--id', '1');
    expect(cli.again()).toEqual([]);
    expect(cli.calls()).not.toContain('log 1 unhandled first');
    expect(code).toBe(5);
    expect(out).toContain('1 pending');
    expect(err).toContain('waits for earlier deliveries');
    expect(err).toContain('portaria replay --resume r1');

    await cli.dispatch();
    expect(cli.calls().slice(-2)).toEqual(['log 1 unhandled first', 'log 1 a again']);
    expect(await cli.run('replay', '--resume', 'r1')).toMatchObject({ code: 0 });
  });

  test('retries a failed attempt before the replay ends', async () => {
    const cli = await cliWithHandledEvents({
      log: recorder('log', 'retry: { attempts: 3, baseMs: 20, maxMs: 20 },'),
    });
    await cli.run('replay', '--yes', '--id', '4');
    expect(cli.again()).toEqual(Array.from({ length: 3 }, () => 'log 2 doomed again'));
  });

  test('Ctrl-C stops cleanly, and the printed command resumes', async () => {
    const cli = await cliWithHandledEvents();
    const { terminal, ended } = cli.begin(['replay', '--yes', '--rate', '0.01']);
    // At this rate the second call is minutes away.
    await terminal.printed('4 events of 2 subjects');
    await expect.poll(() => cli.again()).toHaveLength(1);
    terminal.interrupt();
    const { code, err } = await ended;
    expect(code).toBe(130);
    expect(err).toContain('Resume with: npx portaria replay --resume r1 --rate 0.01');

    const resumed = await cli.run('replay', '--resume', 'r1');
    expect(resumed.err).toContain('Rest of r1: 3 events of 2 subjects, 3 calls');
    expect(resumed.code).toBe(5);
    expect(cli.again().toSorted()).toEqual(
      ['log 1 a again', 'log 1 b again', 'log 2 a again', 'log 2 doomed again'].toSorted(),
    );
    expect((await cli.run('replay', '--resume', 'r1')).out).toContain('3 succeeded, 1 dead');
  });
});

describe('an event that arrives after the start of a replay', () => {
  test('is not replayed, not even after a resume', async () => {
    const cli = await cliWithHandledEvents();
    const { terminal, ended } = cli.begin(['replay', '--yes', '--rate', '0.01']);
    await terminal.printed('4 events of 2 subjects');
    await expect.poll(() => cli.again()).toHaveLength(1);
    terminal.interrupt();
    await ended;
    await cli.seed([violation(3, 'later')]);

    const resumed = await cli.run('replay', '--resume', 'r1');

    expect(resumed.err).toContain('Rest of r1: 3 events of 2 subjects, 3 calls');
    expect(cli.again()).not.toContain('log 3 later again');
    const { rows } = await cli.run('replay', 'list', '--json');
    expect(rows).toMatchObject([{ filter: { up_to: expect.stringMatching(/-4$/) } }]);
    expect(rows[0]?.['filter']).not.toHaveProperty('until');
  });

  test('is not replayed when the log was empty', async () => {
    const cli = cliEnvironment({ log: recorder('log', once) });
    await cli.seed([]);

    const { code, err } = await cli.run('replay', '--yes');

    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('Nothing to replay.') });
  });
});

test('beside a running serve, serve makes the calls', async () => {
  const cli = await cliWithHandledEvents();
  const serve = cli.begin(['serve']);
  await serve.terminal.printed('Try it');
  const { code, out } = await cli.run(
    'replay',
    '--yes',
    '--subject',
    'traffic-violation:1',
    '--concurrency',
    '1',
  );
  expect(code).toBe(0);
  expect(out).toContain('2 succeeded');
  expect(cli.again()).toEqual(['log 1 a again', 'log 1 b again']);
  serve.terminal.interrupt();
  expect(await serve.ended).toMatchObject({ code: 0 });
});
