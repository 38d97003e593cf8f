import { expect, test } from 'vitest';
import { violation } from '../kit/cli-environment.ts';
import { cliWithHandledEvents, once, recorder } from '../kit/recording-handler.ts';

const WHY = ['--reason', 'the ledger is closed'];

const subject = 'traffic-violation:1';

test('pauses a handler and resumes it', async () => {
  const cli = await cliWithHandledEvents();
  const { code, out } = await cli.run('handlers', 'pause', 'log', ...WHY);
  expect([code, out]).toEqual([
    0,
    'Paused: handler log (p1)\nNo process runs now: the next one starts with it.\n',
  ]);
  await cli.seed([violation(1, 'c')]);
  await cli.dispatch();
  expect(cli.calls()).toHaveLength(4);

  expect(await cli.run('handlers', 'resume', 'log')).toMatchObject({
    code: 0,
    out: 'Resumed: handler log\n',
  });
  await cli.dispatch();
  expect(cli.calls().at(-1)).toBe('log 1 c first');
});

test('pauses one lane, and every list says so', async () => {
  const cli = await cliWithHandledEvents();
  await cli.run('handlers', 'pause', 'log', '--subject', subject, '--by', 'rui', '--until', '2h', ...WHY);
  await cli.seed([violation(1, 'c'), violation(2, 'c')]);
  await cli.dispatch();
  expect(cli.calls().at(-1)).toBe('log 2 c first');

  const scope = `handler log, subject ${subject}`;
  const { rows } = await cli.run('handlers', 'pauses', '--json');
  expect(rows).toMatchObject([
    {
      ...{ id: 'p1', scope, handler: 'log', source: null, subject, reason: 'the ledger is closed' },
      ...{ paused_by: 'rui', paused_at: expect.stringMatching(/^2026-11-21T04:/) as string },
      ...{ until: expect.stringMatching(/^2026-11-21T06:/) as string },
    },
  ]);
  expect((await cli.run('handlers', 'list')).out).toContain(scope);
  expect((await cli.run('stats')).out).toMatch(new RegExp(`paused +${scope}`));
  const [statistics] = (await cli.run('stats', '--json')).rows;
  expect(statistics?.['paused']).toMatchObject([{ id: 'p1' }]);
  const [delivery] = (await cli.run('deliveries', 'list', '--status', 'pending', '--json')).rows;
  expect(delivery?.['waits_for']).toBe(`paused (${scope}) by rui: the ledger is closed`);
  expect((await cli.run('deliveries', 'list')).out).toContain('the ledger is closed');
  expect((await cli.run('deliveries', 'show', String(delivery?.['id']))).out).toContain('waits for');
  const doctor = await cli.run('doctor');
  expect(doctor.out).toMatch(/ATTENTION +paused +1 lane of handler log paused by an operator since/);
});

test('pauses a source, whose webhooks are accepted and wait', async () => {
  const cli = await cliWithHandledEvents();
  await cli.seed([violation(7)], { source: 'other' });
  await cli.dispatch();
  const before = cli.calls().length;
  expect((await cli.run('handlers', 'pause', '--source', 'other', ...WHY)).code).toBe(0);
  await cli.seed([violation(8)], { source: 'other' });
  await cli.dispatch();
  expect(cli.calls()).toHaveLength(before);
  expect(await cli.run('handlers', 'resume', '--all')).toMatchObject({
    code: 0,
    out: 'Resumed: source other\n',
  });
  await cli.dispatch();
  expect(cli.calls()).toHaveLength(before + 1);
});

test('a lane waits behind a failed delivery, every list says so, and it goes on by retry, discard or resume', async () => {
  const cli = await cliWithHandledEvents({ log: recorder('log', `afterDeadLetter: 'hold', ${once}`) });
  await cli.seed([violation(2, 'c')]);
  await cli.dispatch();
  const waits = 'the failed delivery d4';
  const scope = 'handler log, source default, subject traffic-violation:2';

  expect(cli.calls(), 'the lane waits').not.toContain('log 2 c first');
  const [pending] = (await cli.run('deliveries', 'list', '--status', 'pending', '--json')).rows;
  expect(pending).toMatchObject({ waits_for: waits, pause: { dead_letter: 'd4' } });
  expect((await cli.run('deliveries', 'list', '--status', 'pending')).out).toContain(waits);
  expect((await cli.run('deliveries', 'show', String(pending?.['id']))).out).toContain(waits);
  expect((await cli.run('handlers', 'pauses')).out).toMatch(
    new RegExp(`${scope} .* retried +Portaria +waits behind the failed delivery d4`),
  );
  expect((await cli.run('handlers', 'list')).out).toMatch(/AFTER DEAD LETTER[^]* hold/u);
  const { out } = await cli.run('doctor');
  expect(out).toMatch(/ATTENTION +dead-letters +1 delivery of handler log has failed for good, and 1 lane/);
  expect(out).not.toMatch(/ATTENTION +paused/);
  expect((await cli.run('handlers', 'resume', '--all')).err).toContain('There is no pause of an operator');
  await cli.dispatch();
  expect(cli.calls()).not.toContain('log 2 c first');

  const lane = ['log', '--subject', 'traffic-violation:2'];
  await cli.run('handlers', 'pause', ...lane, ...WHY);
  const own = await cli.run('handlers', 'resume', ...lane);
  expect(own.out, 'first the pause of one’s own').toBe('Resumed: handler log, subject traffic-violation:2\n');
  await cli.dispatch();
  expect(cli.calls()).not.toContain('log 2 c first');
  expect((await cli.run('handlers', 'resume', ...lane)).out).toBe(`Resumed: ${scope}\n`);
  await cli.dispatch();
  expect(cli.calls().at(-1)).toBe('log 2 c first');
});

test('a replay says how many lanes of its handlers wait behind failed deliveries, and a retry what it waits for', async () => {
  const cli = await cliWithHandledEvents({ log: recorder('log', `afterDeadLetter: 'hold', ${once}`) });
  await cli.run('handlers', 'resume', 'log', '--subject', 'traffic-violation:2');
  await cli.seed([violation(2, 'c'), violation(2, 'doomed')]);
  await cli.dispatch();

  const { err } = await cli.run('replay', '--subject', subject, '--yes');
  expect(err).toContain('Of these handlers, 1 lane waits behind failed deliveries');
  expect(err).not.toContain('resume --id');
  const retried = await cli.run('deliveries', 'retry', 'd4', '--include-overtaken');
  expect([retried.code, retried.out]).toEqual([0, '1 retried: d4\n']);
  expect(retried.err).toContain('note: d4 waits for the failed delivery d6');
  await cli.dispatch();
  expect(cli.calls().filter((call) => call === 'log 2 doomed first')).toHaveLength(2);
});

test('a plan to discard what still waits says why it selects nothing', async () => {
  const cli = await cliWithHandledEvents();
  await cli.seed([violation(1, 'c')]);
  const { out } = await cli.run('deliveries', 'discard', 'd5', '--plan');
  expect(out).toContain('0 deliveries to discard: without --status pending, dead ones only');
  const waiting = await cli.run('deliveries', 'discard', 'd99', '--status', 'pending', '--plan');
  expect(waiting.out).toContain('0 deliveries to discard\n');
});

test('a replay of a paused handler waits and says so', async () => {
  const cli = await cliWithHandledEvents();
  await cli.run('handlers', 'pause', 'log', ...WHY);
  const { err } = await cli.run('replay', '--subject', subject, '--yes');
  expect(err).toContain(
    'handler log (the ledger is closed). Its deliveries wait until `npx portaria handlers resume --id p1`',
  );
  expect(cli.again()).toEqual([]);
});

test('says everything that is wrong with a request, and the remedy', async () => {
  const cli = await cliWithHandledEvents({
    log: recorder('log', once),
    serial: recorder('serial', `order: 'handler', ${once}`),
  });
  const problem = async (...args: string[]) => (await cli.run('handlers', ...args)).err;

  expect(await problem('pause', ...WHY)).toContain('Nothing is selected: name a handler, a source');
  expect(await problem('pause', 'log')).toContain("required option '--reason <text>'");
  expect(await problem('pause', 'lag', '--source', 'moon', '--reason', ' ')).toMatch(
    /Give a reason.*; There is no handler lag; there are log, serial; No event of source moon has arrived; events came from default/s,
  );
  expect(await problem('pause', '--source', 'default', '--subject', subject, ...WHY)).toContain(
    'A subject is paused for one handler',
  );
  expect(await problem('pause', 'log', '--subject', 'company:404', ...WHY)).toContain(
    'There is no event of subject company:404',
  );
  expect(await problem('pause', 'serial', '--subject', subject, ...WHY)).toContain(
    'has a single lane (order: handler)',
  );
  expect(await problem('pause', 'log', '--until', 'soon', ...WHY)).toContain('Write a duration such as 90m');
  expect(await problem('pause', 'log', '--until', '2020-01-01', ...WHY)).toContain(
    'The end lies in the past',
  );
  expect(await problem('resume')).toContain('Say what to resume');
  expect(await problem('resume', 'log', '--all')).toContain('leave the others out');
  expect(await cli.run('handlers', 'resume', 'log')).toMatchObject({
    code: 3,
    err: expect.stringContaining('There is no pause of handler log; nothing is paused') as string,
  });
  expect((await cli.run('handlers', 'pauses')).out).toContain('Nothing is paused.');
});
