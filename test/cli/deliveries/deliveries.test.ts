import { describe, expect, test } from 'vitest';
import { cliEnvironment, violation } from '../kit/cli-environment.ts';
import { cliWithHandledEvents as cliWithCalls } from '../kit/recording-handler.ts';

/** `flaky` fails for violation 2; `calm` accepts every event. */
const handlers = {
  calm: "export default defineHandler({ name: 'calm', on: '*', handle() {} });",
  flaky: `export default defineHandler({
    name: 'flaky', on: 'traffic-violation.*', retry: { attempts: 2, baseMs: 1, maxMs: 1 },
    handle({ data }) { if (data.id === 2) throw new Error('no second violation\\u001b[2J'); },
  });`,
};

async function cliWithHandledEvents() {
  const cli = cliEnvironment(handlers);
  await cli.seed([violation(1), violation(2), violation(3)]);
  await cli.dispatch();
  return cli;
}

describe('deliveries list', () => {
  test('prints event, handler, subject, status, attempts and last error', async () => {
    const { rows } = await (
      await cliWithHandledEvents()
    ).run('deliveries', 'list', '--json', '--status', 'dead');
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
        waits_for: null,
        rate_until: null,
        pause: null,
      },
    ]);
  });

  test('says that no process runs what is shown as running', async () => {
    const cli = cliEnvironment(handlers);
    await cli.seed([violation(1)]);
    await cli.withStore((store) => store.claim({ now: cli.clock.now(), limit: 1, handlers: ['calm'] }));

    for (const args of [['list'], ['list', '--json', '--status', 'running'], ['show', 'd1']]) {
      const { code, out, err } = await cli.run('deliveries', ...args);
      expect([code, out]).toEqual([0, expect.stringContaining('running')]);
      expect(err).toContain('no process runs. What is shown as running was interrupted');
    }
    expect((await cli.run('deliveries', 'list', '--status', 'pending')).err).toBe('');
  });

  test('is narrowed by each flag', async () => {
    const cli = await cliWithHandledEvents();
    for (const [flags, count] of Object.entries({
      '--handler calm': 3,
      '--handler flaky --status succeeded': 2,
      '--event 2': 2,
      '--subject traffic-violation:3': 2,
      '--source elsewhere': 0,
      '--id d1 --id d2': 2,
      '--replay j1': 0,
      '--limit 4': 4,
    }))
      expect((await cli.run('deliveries', 'list', '--json', ...flags.split(' '))).rows, flags).toHaveLength(
        count,
      );
  });

  test('prints one line per delivery, with control characters escaped', async () => {
    const { out } = await (await cliWithHandledEvents()).run('deliveries', 'list');
    expect(out.trimEnd().split('\n')).toHaveLength(7);
    expect(out).not.toContain('\u001b');
  });
});

test('deliveries show prints one delivery, or ends with 3 if there is none', async () => {
  const cli = await cliWithHandledEvents();
  expect((await cli.run('deliveries', 'show', 'd1')).out).toMatch(/^status +succeeded$/m);
  expect((await cli.run('deliveries', 'show', 'd1')).out, 'it is over').not.toContain('due at');
  expect((await cli.run('deliveries', 'show', 'd1', '--json')).rows).toMatchObject([{ id: 'd1' }]);
  expect(await cli.run('deliveries', 'show', 'd99')).toMatchObject({ code: 3 });
});

describe('deliveries retry', () => {
  const dead = ['deliveries', 'list', '--json', '--status', 'dead'] as const;

  test('resets the attempts of dead deliveries, selected by id or by flags', async () => {
    for (const selection of ['--status', '--handler', 'id'] as const) {
      const cli = await cliWithHandledEvents();
      const [{ id } = {}] = (await cli.run(...dead)).rows;
      const args = {
        '--status': ['--status', 'dead'],
        '--handler': ['--handler', 'flaky'],
        id: [String(id)],
      };
      expect(await cli.run('deliveries', 'retry', ...args[selection])).toMatchObject({
        code: 0,
        out: `1 retried: ${String(id)}\n`,
      });
      expect((await cli.run('deliveries', 'list', '--json', '--status', 'pending')).rows).toMatchObject([
        { id, attempts: 0 },
      ]);
    }
  });

  test('names deliveries that are not dead or do not exist, and leaves them alone', async () => {
    const cli = await cliWithHandledEvents();
    const [{ id } = {}] = (await cli.run(...dead)).rows;
    const both = await cli.run('deliveries', 'retry', 'd1', String(id));
    expect(both.code).toBe(5);
    expect(both.out).toContain('d1: is succeeded');
    expect(await cli.run('deliveries', 'retry', 'd1')).toMatchObject({ code: 1 });
    const none = await cli.run('deliveries', 'retry', 'd99', '--json');
    expect(none).toMatchObject({
      code: 3,
      rows: [{ retried: [], left_alone: [{ id: 'd99', status: null }] }],
    });
  });

  test('leaves out what a later event has overtaken, at once and planned, unless it is included', async () => {
    const cli = await cliWithCalls();
    await cli.seed([violation(2, 'later')]);
    await cli.dispatch();
    const planned = await cli.run('deliveries', 'retry', 'd4', '--plan');
    expect(planned.out).toMatch(
      /^0 dead deliveries to retry\n\n1 delivery left out: overtaken, .*\n {2}d4 for log, by event \S+-5\n$/u,
    );
    const atOnce = await cli.run('deliveries', 'retry', 'd4');
    expect(atOnce).toMatchObject({ code: 1 });
    expect(atOnce.out).toMatch(
      /^d4: is overtaken: its handler handles the later event \S+-5 before it; discard it, or retry it with --include-overtaken\n/u,
    );
    expect(await cli.run('deliveries', 'retry', 'd4', '--include-overtaken')).toMatchObject({
      code: 0,
      out: '1 retried: d4\n',
    });
  });

  test('rejects a command without ids and flags', async () => {
    const { code, err } = await (await cliWithHandledEvents()).run('deliveries', 'retry');
    expect(code).toBe(2);
    expect(err).toContain('--status dead');
  });
});

test.each([
  [['deliveries', 'list']],
  [['deliveries', 'show', 'd1']],
  [['events', 'show', '1']],
  [['subjects', 'show', 'traffic-violation:1']],
])('%j masks personal data in errors unless --unmask is given', async (args) => {
  const cli = cliEnvironment({
    quoting: `export default defineHandler({
      name: 'quoting', on: '*', retry: { attempts: 1 },
      handle() { throw new Error('no CPF 529.982.247-25'); },
    });`,
  });
  await cli.seed([violation(1)]);
  await cli.dispatch();

  for (const json of [[], ['--json']]) {
    const masked = await cli.run(...args, ...json);
    expect(masked).toMatchObject({ code: 0, out: expect.stringContaining('no CPF <cpf>') as string });
    expect(masked.out).not.toContain('529.982.247-25');
    expect((await cli.run(...args, ...json, '--unmask')).out).toContain('no CPF 529.982.247-25');
  }
});

describe('--handler with a name that nothing has', () => {
  test('is rejected, with the name that may be meant', async () => {
    const cli = cliEnvironment({
      billing: "export default defineHandler({ name: 'billing', on: '*', handle() {} });",
    });
    await cli.seed([violation(1)]);
    for (const args of [['list'], ['retry'], ['discard', '--reason', 'old']]) {
      const { code, err } = await cli.run('deliveries', ...args, '--handler', 'biling');
      expect([code, err]).toEqual([3, expect.stringContaining('did you mean billing?')]);
    }
    const { code, err } = await cli.run('handlers', 'list', '--handler', 'biling');
    expect([code, err]).toEqual([3, expect.stringContaining('did you mean billing?')]);
  });

  test('is known if it is configured or deliveries name it', async () => {
    const cli = cliEnvironment({
      old: "export default defineHandler({ name: 'old', on: '*', handle() {} });",
    });
    await cli.seed([violation(1)]);
    cli.env['PORTARIA_HANDLERS'] = '';
    expect((await cli.run('deliveries', 'list', '--handler', 'old')).err).toBe('');
    expect((await cli.run('deliveries', 'list', '--handler', 'login-attempt/effects')).err).toBe('');
  });
});

test('deliveries show lists the attempts that failed', async () => {
  const cli = await cliWithHandledEvents();
  const { rows } = await cli.run('deliveries', 'list', '--status', 'dead', '--json');
  const id = String(rows[0]?.['id']);
  const shown = await cli.run('deliveries', 'show', id);
  expect(shown.out).toMatch(
    /Failed attempts\n {2}\S+ \S+ +1 failed after \d+ ms, next .*no second violation/u,
  );
  expect(shown.out).toMatch(/2 dead after \d+ ms: Error: no second violation/u);
  expect(shown.out).not.toContain('\u001b');
  expect((await cli.run('deliveries', 'show', id, '--json')).rows[0]).toMatchObject({
    history: [
      { attempt: 1, outcome: 'failed', due_at: expect.any(String) as string },
      { attempt: 2, outcome: 'dead', due_at: null },
    ],
  });
});

test('events curl prints the command that sends an event again, masked until unmasked', async () => {
  const cli = await cliWithHandledEvents();
  const { out, err } = await cli.run('events', 'curl', '2');
  expect(out).toMatch(/^body='\{"type":"traffic-violation\.created"/u);
  expect(out).toMatch(/curl --data-binary @- .*'http:\/\/127\.0\.0\.1:\d+\/webhooks'\n$/su);
  expect(err).toContain('Personal data is masked');
  const unmasked = await cli.run('events', 'curl', '2', '--unmask', '--json');
  expect(unmasked.rows[0]).toMatchObject({ masked: false, needs_secret: false });
  expect(await cli.run('events', 'curl', '99')).toMatchObject({ code: 3 });
});
