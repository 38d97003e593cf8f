import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cliEnvironment, violation } from '../kit/cli-environment.ts';

const scenario = readFileSync(
  new URL('../../../fixtures/scenarios/login-refused-password-and-two-codes.ndjson', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n');

/** Given the events of a login, folded by the shipped login machine. */
async function cliWithLogin() {
  const cli = cliEnvironment({ login: "export { default } from 'portaria/handlers/login-attempt';" });
  await cli.seed(scenario);
  await cli.dispatch();
  return cli;
}

describe('subjects show', () => {
  test('shows every event, its deliveries and its changes', async () => {
    const cli = cliEnvironment({
      log: "export default defineHandler({ name: 'log', on: '*', handle() {} });",
    });
    await cli.seed([violation(1), violation(1, 'paid'), violation(1, 'paid')]);
    await cli.dispatch();
    const { out } = await cli.run('subjects', 'show', 'traffic-violation:1');
    expect(out).toMatch(/^traffic-violation:1 /);
    expect(out).toMatch(/-2 {2}traffic-violation\.created {2}new \(repeated 1 time\)/);
    expect(out).toContain('log  succeeded after 1 attempt');
    expect(out).toContain('data.status: "pending" -> "paid"');
    const [timeline] = (await cli.run('subjects', 'show', 'traffic-violation:1', '--json')).rows;
    expect(timeline).toMatchObject({
      subject: 'traffic-violation:1',
      events: [
        { changes: [] },
        { repeats: 1, changes: [{ path: 'data.status', from: 'pending', to: 'paid' }] },
      ],
    });
  });

  test('masks personal data without --unmask', async () => {
    const cli = cliEnvironment();
    const user = (email: string, at: string) => ({
      type: 'console-user.updated',
      data: { id: 'a', email, updated_at: at },
    });
    await cli.seed([
      user('old@example.com', '2026-11-01T00:00:00Z'),
      user('new@example.com', '2026-11-02T00:00:00Z'),
    ]);
    expect((await cli.run('subjects', 'show', 'console-user:a')).out).not.toContain('@example.com');
    expect((await cli.run('subjects', 'show', 'console-user:a', '--unmask')).out).toContain(
      'data.email: "old@example.com" -> "new@example.com"',
    );
  });

  test('shows a part of a long timeline, and how to see the rest', async () => {
    const cli = cliEnvironment();
    await cli.seed(['pending', 'paid', 'pending', 'paid', 'expired'].map((status) => violation(1, status)));
    const cut = await cli.run('subjects', 'show', 'traffic-violation:1', '--limit', '2');
    expect(cut.out.match(/traffic-violation\.\w+ {2}(new|ambiguous)/g)).toHaveLength(2);
    const next = /--after (\S+) shows the next ones, --limit all every one/.exec(cut.err)?.[1] ?? '';
    expect(cut.err).toContain('Showed 2 of ');

    const [rest] = (await cli.run('subjects', 'show', 'traffic-violation:1', '--json', '--after', next)).rows;
    const [all] = (await cli.run('subjects', 'show', 'traffic-violation:1', '--json', '--limit', 'all')).rows;
    const [newest] = (
      await cli.run('subjects', 'show', 'traffic-violation:1', '--json', '--newest', '--limit', '1')
    ).rows;
    const events = all?.['events'] as { id: string }[];
    expect(all).toMatchObject({ total: events.length, next: null });
    expect(rest).toMatchObject({ total: events.length, next: null, events: events.slice(2) });
    expect(newest).toMatchObject({ events: [events.at(-1)], next: events.at(-1)?.id });
    expect(await cli.run('subjects', 'show', 'traffic-violation:1', '--after', 'x')).toMatchObject({
      code: 2,
    });
  });

  test('ends with 3 for an unknown subject, and with 2 for a malformed one', async () => {
    const cli = cliEnvironment();
    await cli.seed([]);
    expect(await cli.run('subjects', 'show', 'company:1')).toMatchObject({ code: 3 });
    expect(await cli.run('subjects', 'show', 'company')).toMatchObject({ code: 2 });
  });
});

describe('machines', () => {
  test('list and show print states', async () => {
    const cli = await cliWithLogin();
    expect((await cli.run('machines', 'list', '--json')).rows).toMatchObject([
      {
        machine: 'login-attempt',
        subject: 'company-login:12',
        phases: ['succeeded', 'connected'],
        anomalies: 0,
      },
    ]);
    expect((await cli.run('machines', 'list')).out).toMatch(/ STATE .*\n.* company-login:12 +succeeded, /u);
    expect((await cli.run('machines', 'list', '--anomalous')).out).toContain('No machine state matches');
    expect((await cli.run('machines', 'list', '--machine', 'other', '--json')).rows).toEqual([]);
    const shown = await cli.run('machines', 'show', 'login-attempt', 'company-login:12');
    expect(shown.out).toContain('"phase": "succeeded"');
    expect(await cli.run('machines', 'show', 'login-attempt', 'company-login:99')).toMatchObject({
      code: 3,
    });
  });

  test('rebuild folds the events again to the same state', async () => {
    const cli = await cliWithLogin();
    const rebuilt = await cli.run('machines', 'rebuild', '--json');
    expect(rebuilt).toMatchObject({
      code: 0,
      rows: [
        {
          machine: 'login-attempt',
          subject: 'company-login:12',
          outcome: 'unchanged',
          events: scenario.length,
        },
      ],
    });
    const dry = await cli.run(
      'machines',
      'rebuild',
      'login-attempt',
      '--subject',
      'company-login:12',
      '--dry-run',
    );
    expect(dry.out).toMatch(/ unchanged +\d/u);
    expect(await cli.run('machines', 'rebuild', 'login-atempt')).toMatchObject({ code: 3 });
    expect(await cli.run('machines', 'rebuild', '--subject', 'company-login:99')).toMatchObject({
      code: 3,
    });
  });
});

describe('handlers list', () => {
  const narrow = {
    charges: "export default defineHandler({ name: 'charges', on: 'charge.*', handle() {} });",
  };

  test('prints the handlers of each kind', async () => {
    const { rows } = await cliEnvironment(narrow).run('handlers', 'list', '--json');
    expect(rows).toHaveLength(32);
    expect(rows).toContainEqual({ kind: 'charge.created', covered: true, handlers: ['charges'] });
    expect(rows).toContainEqual({ kind: 'company.created', covered: false, handlers: [] });
  });

  test.each([
    [['--handler', 'charges'], 4],
    [['--uncovered'], 28],
    [['--kind', 'charge.payment-slip.*'], 2],
    [['--kind', 'charge.*', '--uncovered'], 0],
    [['--limit', '3'], 3],
  ])('%j selects %i kinds', async (flags, count) => {
    const { rows } = await cliEnvironment(narrow).run('handlers', 'list', '--json', ...flags);
    expect(rows).toHaveLength(count);
  });

  test('prints the handlers first, the kinds without one last and short, and needs no database', async () => {
    const { out, code } = await cliEnvironment(narrow).run('handlers', 'list');
    expect(code).toBe(0);
    expect(out).toMatch(/charges +handler +charge\.\*/);
    expect(out).toMatch(/^charge\.created +charges$/m);
    expect(out).not.toContain('(none)');
    const last = out.trimEnd().split('\n').at(-1);
    expect(last).toMatch(
      /^No handler takes 28 kinds: (?:\S+, ){3}… \(`portaria handlers list --uncovered` lists them\)$/,
    );
  });

  test('prints the kinds without a handler when it is asked for them', async () => {
    const cli = cliEnvironment(narrow);
    expect((await cli.run('handlers', 'list', '--kind', '*')).out).toMatch(/^company\.created +\(none\)$/m);
    const { out } = await cli.run('handlers', 'list', '--uncovered');
    expect(out).toMatch(/^KIND +HANDLERS\n/);
    expect(out.trimEnd().split('\n')).toHaveLength(29);
  });
});

test('stats counts events, deliveries and quarantine entries', async () => {
  const cli = await cliWithLogin();
  await cli.seed(['{broken', violation(1)]);
  const { out } = await cli.run('stats');
  expect(out).toMatch(/^events +9$/m);
  expect(out).toMatch(/^in quarantine +1 \(\d+ B of 1\.0 GiB\); none dropped$/m);
  expect(out).toMatch(/^store id +000000$/m);
  expect((await cli.run('stats', '--json')).rows).toMatchObject([
    { events: 9, quarantine_held: 1, deliveries: { succeeded: 8, pending: 0 } },
  ]);
});
