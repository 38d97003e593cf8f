/** What the tables of commands show on terminals of any width. */
import { describe, expect, test } from 'vitest';
import { cliEnvironment, violation } from './kit/cli-environment.ts';
import { cliWithHandledEvents, once, recorder } from './kit/recording-handler.ts';

const RED = '\u001b[31m';

async function cliWithTrouble() {
  const cli = await cliWithHandledEvents();
  await cli.seed([{ type: 'charge.created', data: { id: 'x', amount: 'much' } }, '{broken']);
  return cli;
}

describe('the outcome of an event', () => {
  test('is that of its deliveries, the worst first', async () => {
    const cli = await cliWithHandledEvents({ log: recorder('log', once), other: recorder('other', once) });
    await cli.seed([violation(9)]);
    const { rows } = await cli.run('events', 'list', '--json');
    expect(rows.map(({ outcome }) => outcome)).toEqual([
      'pending',
      'dead',
      'succeeded',
      'succeeded',
      'succeeded',
    ]);
    expect(rows[1]).toMatchObject({
      deliveries: { dead: 2, succeeded: 0, pending: 0, running: 0, skipped: 0 },
    });
    const { out } = await cli.run('events', 'list');
    expect(out).toMatch(/^RECEIVED +ID +KIND +SUBJECT +OUTCOME +VERDICT/);
    expect(out.split('\n').slice(1, 4).join('\n')).toMatch(/ pending .*\n.* dead .*\n.* succeeded /);
  });

  test('says how many deliveries have it, unless all do', async () => {
    const picky =
      "export default defineHandler({ name: 'picky', on: '*', retry: { attempts: 1 }, handle(e) { if (e.data.status === 'a') throw new Error('no'); } });";
    const cli = await cliWithHandledEvents({ log: recorder('log', once), picky });
    expect((await cli.run('events', 'list')).out).toMatch(/ dead 1\/2 /);
  });

  test('is `none` for an event that no handler takes', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1)]);
    expect((await cli.run('events', 'list', '--json')).rows).toMatchObject([{ outcome: 'none' }]);
  });

  test('is in each line of tail', async () => {
    const cli = await cliWithHandledEvents();
    const { terminal, ended } = cli.begin(['events', 'tail']);
    await terminal.printed('000000-4');
    terminal.interrupt();
    expect((await ended).out).toMatch(/^.*000000-4 .* dead /m);
  });
});

describe.each([40, 80, 120])('at %i columns', (columns) => {
  test.each([
    ['events list', ['000000-4', 'traffic-violation:2']],
    ['deliveries list', ['d4', '000000-4', 'traffic-violation:2']],
    ['quarantine list', ['q1', 'q2', 'data.id']],
    ['subjects list', ['traffic-violation:2', '000000-4']],
  ])('%s shows every id in full', async (line, ids) => {
    const cli = await cliWithTrouble();
    const { out } = await cli.begin(line.split(' '), { columns }).ended;
    for (const id of ids) expect(out).toMatch(new RegExp(`(^| )${id}( |$)`, 'm'));
  });
});

test('the end of a long kind remains, because the subject says how it begins', async () => {
  const cli = await cliWithHandledEvents();
  expect((await cli.begin(['events', 'list'], { columns: 78 }).ended).out).toMatch(
    /…\S*created +traffic-violation:2/,
  );
});

describe('colours', () => {
  test.each([
    ['deliveries list', `${RED}dead`],
    ['events list', `${RED}dead`],
    ['quarantine list', `${RED}held`],
    ['doctor', `${RED}FIX`],
  ])('of %s mark what needs attention', async (line, marked) => {
    const cli = await cliWithTrouble();
    if (line === 'doctor') cli.env['PORTARIA_API_KEY'] = 'key';
    const args = line.split(' ');
    const shown = (await cli.begin(args, { interactive: true, colors: true }).ended).out;
    expect(shown).toContain(marked);
    const plain = (await cli.begin(args, { interactive: true, colors: false }).ended).out;
    expect(plain).not.toContain('\u001b');
    // The rows stay aligned.
    expect(shown.replaceAll(/\u001b\[\d+m/g, '')).toBe(plain);
    const json = (await cli.begin([...args, '--json'], { interactive: true, colors: true }).ended).out;
    expect(json).not.toContain('\u001b');
  });
});

describe('quarantine list', () => {
  test('names the path and the value of the first issue, and how many others there are', async () => {
    const cli = await cliWithTrouble();
    const { out } = await cli.run('quarantine', 'list');
    expect(out).toMatch(/^RECEIVED +ID +STATUS +REASON +KIND +SUBJECT +PATH +ISSUE/);
    expect(out).toMatch(/ q1 +held +invalid +charge\.created +data\.id +.*(and \d+ more)/);
    expect(out).toMatch(/ q2 +held +malformed +\S/);
  });

  test('shows no personal value', async () => {
    const cli = cliEnvironment();
    await cli.seed([{ type: 'company.login.started', data: { id: 1, tax_id: 11222333000181 } }]);
    const { out } = await cli.run('quarantine', 'list');
    expect(out).toContain('data.');
    expect(out).not.toContain('11222333000181');
  });
});
