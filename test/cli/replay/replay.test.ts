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
        '`portaria events recognize` makes them events of the kind, and a handler on a wildcard, such as company.*, gets them as they are (docs/contract.md)\n',
    );
    const { rows } = await cli.run('replay', '--plan', '--json');
    expect(rows).toMatchObject([{ replay: { events: 3, events_called: 0, unrecognized: 3 } }]);

    writeFileSync(
      join(cli.handlersFolder, 'any.js'),
      `import { defineHandler } from 'portaria';
       export default defineHandler({ name: 'any', on: 'company.*', handle() {} });`,
    );
    const wider = (await cli.run('replay', '--handler', 'any', '--dry-run', '--json')).rows;
    expect(wider).toMatchObject([{ replay: { events: 3, events_called: 3, unrecognized: 0 } }]);
  });

  test('counts events, subjects, calls per handler and earlier successes, and runs nothing', async () => {
    const cli = await cliWithHandledEvents({
      log: recorder('log', once),
      other: recorder('other', `${once} stale: false,`),
    });
    const { rows } = await cli.run('replay', '--dry-run', '--json');
    expect(rows).toMatchObject([
      {
        action: 'replay',
        items: 8,
        replay: { events: 4, events_called: 4, subjects: 2, pruned: 0, unrecognized: 0, target: null },
        handlers: [
          { handler: 'log', items: 4, already_succeeded: 3, stale: 0 },
          { handler: 'other', items: 4, already_succeeded: 3, stale: 0 },
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
    expect(plan?.['handlers']).toMatchObject([
      { handler: 'all', items: 2, already_succeeded: 0, stale: 0 },
      { handler: 'fresh', items: 1, already_succeeded: 0, stale: 1 },
    ]);
  });

  test('selects events by each flag', async () => {
    const cli = await cliWithHandledEvents();
    for (const [flags, events] of [
      [['--subject', 'traffic-violation:1'], 2],
      [['--id', '1', '--id', '4', '--include-overtaken'], 2],
      [['--status', 'dead'], 1],
      [['--kind', 'charge.*'], 0],
      [['--until', '1d'], 0],
      [['--source', 'default', '--since', '1h'], 4],
    ] as const) {
      const [plan] = (await cli.run('replay', '--dry-run', '--json', ...flags)).rows;
      expect(plan, flags.join(' ')).toMatchObject({ items: events, replay: { events } });
    }
  });
});

describe('--status', () => {
  const calm = "export default defineHandler({ name: 'calm', on: '*', handle() {} });";

  test('selects the deliveries in that status, not every handler of their events', async () => {
    const cli = await cliWithHandledEvents({ log: recorder('log', once), calm });
    const dead = ['replay', '--status', 'dead'];
    const plan = async (...more: string[]) =>
      (await cli.run(...dead, '--dry-run', '--json', ...more)).rows[0];
    expect(await plan()).toMatchObject({ items: 1, replay: { events_called: 1 } });
    expect((await plan())?.['handlers']).toMatchObject([
      { handler: 'calm', items: 0 },
      { handler: 'log', items: 1 },
    ]);
    expect(await plan('--handler', 'calm')).toMatchObject({ items: 0, replay: { events_called: 0 } });
    expect(await plan('--handler', 'log')).toMatchObject({ items: 1 });

    await cli.serve();
    expect((await cli.run(...dead, '--yes', '--json')).rows).toMatchObject([{ failed: 1, succeeded: 0 }]);
    expect(cli.again()).toEqual(['log 2 doomed again']);
  });

  test('selects the folds and the effects of a machine', async () => {
    const cli = cliEnvironment({ ledger });
    await cli.seed([violation(1, 'paid'), violation(2, 'doomed'), violation(3, 'none')]);
    await cli.dispatch();
    const plan = async (status: string) =>
      (await cli.run('replay', '--dry-run', '--json', '--status', status)).rows[0]?.['handlers'];
    expect(await plan('dead')).toMatchObject([
      { handler: 'ledger', items: 1 },
      { handler: 'ledger/effects', items: 1 },
    ]);
    expect(await plan('succeeded')).toMatchObject([
      { handler: 'ledger', items: 3 },
      { handler: 'ledger/effects', items: 2 },
    ]);
  });
});

describe('machines', () => {
  test('plans how many effects are delivered again', async () => {
    const cli = cliEnvironment({ ledger });
    await cli.seed([violation(1, 'paid'), violation(2, 'doomed'), violation(3, 'none')]);
    await cli.dispatch();
    const stop = await cli.serve();
    const run = await cli.run('replay', '--yes');
    await stop();
    expect(run.err).toContain('3 events of 3 subjects, 5 calls');
    expect(run.err).toMatch(/ledger\/effects +2 +1 +0/);
    expect(run.out).toBe('j1 finished, 5 of 5: 4 succeeded, 1 failed\n');
    const { rows } = await cli.run('replay', '--dry-run', '--json');
    expect(rows[0]?.['handlers']).toMatchObject([
      { handler: 'ledger', items: 3, already_succeeded: 3, stale: 0 },
      { handler: 'ledger/effects', items: 2, already_succeeded: 1, stale: 0 },
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
    expect((await cli.run('jobs', 'list', '--json')).rows).toEqual([]);
  });

  test.each([
    ['yes\n', 0, 4],
    ['\n', 130, 0],
  ])('the reply %j ends with %i', async (input, expected, calls) => {
    const cli = await cliWithHandledEvents({ log: recorder('log', `${once} stale: true,`) });
    await cli.serve();
    const { code, err } = await cli.begin(['replay'], { interactive: true, input }).ended;
    expect(err).toContain('Start to replay 4? [y/N]');
    expect(cli.again()).toHaveLength(calls);
    // One of the four calls fails.
    expect(code).toBe(expected === 0 ? 5 : expected);
  });

  test('does not ask when there is nothing to replay', async () => {
    const { code, err } = await (await cliWithHandledEvents()).run('replay', '--kind', 'charge.*');
    expect(code).toBe(0);
    expect(err).toContain('Nothing to do.');
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
    expect(rows).toMatchObject([{ replay: { events: 1 } }]);
  });

  test.each([
    [['--handler', 'lgo'], 'did you mean log?', 3],
    [['--id', '99'], 'There is no event 99', 3],
    [['--to', 'http://localhost:2', '--handler', 'log'], '--to calls no handler', 2],
    [['--to', 'ftp://localhost'], 'http://', 2],
  ])('rejects %j', async (flags, message, expected) => {
    const { code, err } = await (await cliWithHandledEvents()).run('replay', '--yes', ...flags);
    expect(code).toBe(expected);
    expect(err).toContain(message);
  });
});

describe('beside a running serve', () => {
  test('runs in order per subject, and says how to see what failed', async () => {
    const cli = await cliWithHandledEvents();
    await cli.serve();
    const { code, out, err } = await cli.run('replay', '--yes');
    expect(code).toBe(5);
    expect(out).toBe('j1 finished, 4 of 4: 3 succeeded, 1 failed\n');
    expect(err).toContain('portaria jobs show j1');
    expect((await cli.run('jobs', 'show', 'j1')).out).toMatch(/Failed\n.*\n.*always fails/u);
    const ofSubject = (id: string) => cli.again().filter((call) => call.startsWith(`log ${id} `));
    expect(ofSubject('1')).toEqual(['log 1 a again', 'log 1 b again']);
    expect(ofSubject('2')).toEqual(['log 2 a again', 'log 2 doomed again']);
    const { rows } = await cli.run('deliveries', 'list', '--replay', 'j1', '--status', 'dead', '--json');
    expect(rows).toMatchObject([{ replay: 'j1', event_id: '000000-4' }]);
  });

  test('with --if-not-succeeded, calls only the handlers that have not succeeded', async () => {
    const cli = await cliWithHandledEvents();
    await cli.serve();
    await cli.run('replay', '--yes', '--if-not-succeeded');
    expect(cli.again()).toEqual(['log 2 doomed again']);
  });

  test('with --json, prints the job as an object, with what selects its events', async () => {
    const cli = await cliWithHandledEvents();
    await cli.serve();
    const { rows } = await cli.run('replay', '--yes', '--json', '--subject', 'traffic-violation:1');
    expect(rows).toMatchObject([
      {
        ...{ id: 'j1', action: 'replay', state: 'finished', planned: 2, succeeded: 2, failed: 0 },
        selection: { subject: 'traffic-violation:1', handlers: 'log' },
      },
    ]);
  });

  test('counts a call once it has ended: a failed attempt is tried again first', async () => {
    const cli = await cliWithHandledEvents({
      log: recorder('log', 'retry: { attempts: 3, baseMs: 20, maxMs: 20 },'),
    });
    await cli.serve();
    const { out } = await cli.run('replay', '--yes', '--id', '4');
    expect(out).toBe('j1 finished, 1 of 1: 1 failed\n');
    expect(cli.again()).toEqual(Array.from({ length: 3 }, () => 'log 2 doomed again'));
  });

  test('with --staged, stops when a stage fails, and is resumed as every job', async () => {
    const cli = await cliWithHandledEvents();
    await cli.serve();
    const stopped = await cli.run('replay', '--yes', '--staged', '--status', 'dead');
    expect(stopped).toMatchObject({ code: 5, out: 'j1 stopped (1 of 1 failed), 1 of 1: 1 failed\n' });
    await cli.run('jobs', 'resume', 'j1');
    expect((await cli.run('jobs', 'show', 'j1', '--watch')).out).toContain('j1 finished, 1 of 1: 1 failed');
  });

  test('goes on without the command, until it is cancelled', async () => {
    const cli = await cliWithHandledEvents();
    await cli.serve();
    // At this rate the second call is minutes away.
    const { terminal, ended } = cli.begin(['replay', '--yes', '--rate', '0.01']);
    await terminal.printed('Job j1');
    await expect.poll(() => cli.again()).toHaveLength(1);
    terminal.interrupt();
    const { code, err } = await ended;
    expect(code).toBe(130);
    expect(err).toContain('j1 goes on. Cancel it with: npx portaria jobs cancel j1');
    const { out } = await cli.run('jobs', 'cancel', 'j1');
    expect(out).toMatch(/^j1 cancelled \(cancelled by ana\), \d of 4/u);
  });
});

test('a command that watches says once when nothing serves any more, and sees the end after the next start', async () => {
  const cli = await cliWithHandledEvents();
  const stop = await cli.serve();
  // At this rate the second call is minutes away.
  const { terminal, ended } = cli.begin(['replay', '--yes', '--rate', '0.01']);
  await terminal.printed('Job j1');
  await expect.poll(() => cli.again()).toHaveLength(1);

  await stop();
  await terminal.printed('No process serves this database: the job goes on with `npx portaria serve`');

  await cli.serve();
  await cli.run('jobs', 'cancel', 'j1');
  const { err } = await ended;
  expect(err.match(/No process serves/gu)).toHaveLength(1);
});

test('without a process that serves, the job waits for one, and runs nothing that came later', async () => {
  const cli = await cliWithHandledEvents();
  const { code, err } = await cli.run(
    ...['replay', '--yes', '--subject', 'traffic-violation:1', '--include-overtaken'],
  );
  expect(code).toBe(0);
  expect(err).toContain('No process serves this database: the job goes on with `npx portaria serve`');
  await cli.seed([violation(1, 'later')]);
  expect(cli.again()).toEqual([]);
  await cli.serve();
  expect((await cli.run('jobs', 'show', 'j1', '--watch')).out).toContain('j1 finished, 2 of 2: 2 succeeded');
  expect(cli.again()).toEqual(['log 1 a again', 'log 1 b again']);
  expect(cli.calls()).toContain('log 1 later first');
});
