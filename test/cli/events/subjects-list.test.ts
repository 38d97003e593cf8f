import { describe, expect, test } from 'vitest';
import { fixture } from '../../support/webhooks/fixtures.ts';
import { cliEnvironment, company, violation, type Envelope } from '../kit/cli-environment.ts';

const HOUR_MS = 3_600_000;

/** An envelope of `fixtures/` with some fields of its data replaced. */
function sample(kind: string, changes: object): Envelope {
  const { data } = fixture(kind as 'charge.created') as { data: object };
  return { type: kind, data: { ...data, ...changes } };
}

async function cliWithSubjects() {
  const cli = cliEnvironment();
  const now = cli.clock.now();
  await cli.seed([violation(1), company(12, '2026-11-02T00:00:00Z')], { receivedAt: now - 48 * HOUR_MS });
  await cli.seed([violation(2), violation(1, 'paid')], { receivedAt: now - HOUR_MS });
  // Stale: the latest event of the company remains the earlier one.
  await cli.seed([company(12, '2026-11-01T00:00:00Z')]);
  await cli.seed([violation(3)], { source: 'fleet' });
  return cli;
}

describe('subjects list', () => {
  test('lists subjects with their number of events and their latest event, newest first', async () => {
    const { rows } = await (await cliWithSubjects()).run('subjects', 'list', '--json');
    expect(rows).toEqual([
      expect.objectContaining({ subject: 'traffic-violation:3', source: 'fleet', events: 1 }),
      {
        subject: 'traffic-violation:1',
        source: 'default',
        events: 2,
        latest_event_id: '000000-4',
        latest_kind: 'traffic-violation.created',
        latest_at: '2026-11-21T03:00:00.000Z',
      },
      expect.objectContaining({ subject: 'traffic-violation:2', events: 1 }),
      expect.objectContaining({ subject: 'company:12', events: 2, latest_event_id: '000000-2' }),
    ]);
  });

  test('is narrowed by each flag', async () => {
    const cli = await cliWithSubjects();
    for (const [flags, subjects] of Object.entries({
      '--family company': ['company:12'],
      '--source fleet': ['traffic-violation:3'],
      '--since 2h': ['traffic-violation:3', 'traffic-violation:1', 'traffic-violation:2'],
      '--until 24h': ['company:12'],
      '--limit 2': ['traffic-violation:3', 'traffic-violation:1'],
      '--after 000000-4': ['traffic-violation:2', 'company:12'],
      '--family charge': [],
    })) {
      const { rows, code } = await cli.run('subjects', 'list', '--json', ...flags.split(' '));
      expect([code, rows.map(({ subject }) => subject)], flags).toEqual([0, subjects]);
    }
  });

  test('reads a long list page by page, each subject once', async () => {
    const cli = cliEnvironment();
    await cli.seed(Array.from({ length: 1203 }, (_, at) => violation(at)));
    const { rows } = await cli.run('subjects', 'list', '--json', '--limit', 'all');
    expect(new Set(rows.map(({ subject }) => subject)).size).toBe(1203);
  });

  test('rejects a subject as a family, with the command for it', async () => {
    const { code, err } = await cliEnvironment().run('subjects', 'list', '--family', 'charge:1');
    expect(code).toBe(2);
    expect(err).toContain('subjects show');
  });
});

describe('--company', () => {
  async function cliWithCompanies(handlers: Readonly<Record<string, string>> = {}) {
    const cli = cliEnvironment(handlers);
    const of = (id: number) => ({ company: { id, name: 'Serra Azul' } });
    await cli.seed([
      sample('company.login.started', { id: 12 }),
      sample('traffic-violation.created', { id: 1, ...of(12) }),
      sample('traffic-violation.created', { id: 2, ...of(13) }),
      sample('traffic-violation.ticket.created', { id: 5, traffic_violation: { id: 1 } }),
      sample('traffic-violation.ticket.created', { id: 6, traffic_violation: { id: 2 } }),
      sample('antt-violation.created', { id: 1, ...of(12) }),
      sample('antt-violation.ticket.created', { id: 7, antt_violation: { id: 1 } }),
      sample('charge.created', { id: 9, ...of(12) }),
      sample('charge.payment-slip.created', { id: 4, charge: { id: 9, ...of(12) } }),
      sample('charge.created', { id: 12, ...of(13) }),
      company(12, '2026-11-02T00:00:00Z'),
      // The latest event of the violation does not name the company.
      { type: 'traffic-violation.updated', data: { id: 1, status: 'paid' } },
    ]);
    return cli;
  }
  const belonging = [
    'antt-violation-ticket:7',
    'antt-violation:1',
    'charge-payment-slip:4',
    'charge:9',
    'company-login:12',
    'company:12',
    'traffic-violation-ticket:5',
    'traffic-violation:1',
  ];

  test('finds the company, its logins, and what names it or belongs to that', async () => {
    const cli = await cliWithCompanies();
    expect((await cli.run('quarantine', 'list')).out).toBe('No quarantine entry matches.\n');
    const subjects = await cli.run('subjects', 'list', '--company', '12', '--json');
    expect(subjects.rows.map(({ subject }) => String(subject)).toSorted()).toEqual(belonging);
    const events = await cli.run('events', 'list', '--company', '12', '--json');
    expect(new Set(events.rows.map(({ subject }) => String(subject)))).toEqual(new Set(belonging));
    expect(events.rows).toHaveLength(9);
    expect(events.err).toBe('');
  });

  test('combines with the other flags', async () => {
    const cli = await cliWithCompanies();
    const { rows } = await cli.run('events', 'list', '--company', '12', '--kind', 'charge.*', '--json');
    expect(rows.map(({ subject }) => subject)).toEqual(['charge-payment-slip:4', 'charge:9']);
    expect((await cli.run('events', 'list', '--company', '99')).out).toBe('No event matches.\n');
  });

  test('selects deliveries, their changes, and the plans of many', async () => {
    const all = "export default defineHandler({ name: 'all', on: '*', handle() {} });";
    const cli = await cliWithCompanies({ all });
    const subjects = (rows: readonly Record<string, unknown>[]) =>
      new Set(rows.map(({ subject }) => String(subject)));
    const list = ['deliveries', 'list', '--json', '--status'];
    expect(subjects((await cli.run(...list, 'pending', '--company', '12')).rows)).toEqual(new Set(belonging));
    expect((await cli.run('deliveries', 'list', '--company', '99')).out).toBe('No delivery matches.\n');
    expect((await cli.run('replay', '--company', '12', '--plan', '--json')).rows).toMatchObject([
      { items: 9, replay: { events: 9 } },
    ]);

    expect((await cli.run('failures', '--company', '12')).out).toBe(
      'No delivery of company 12 has failed.\n',
    );

    const discard = ['deliveries', 'discard', '--company', '12', '--status', 'pending', '--reason', 'moved'];
    expect((await cli.run(...discard, '--plan', '--json')).rows).toMatchObject([{ items: 9 }]);
    expect(await cli.run(...discard, '--job', '--yes')).toMatchObject({ code: 0 });
    expect((await cli.run('jobs', 'show', 'j1', '--json')).rows).toMatchObject([
      { planned: 9, selection: { company: '12', status: 'pending' } },
    ]);

    expect(await cli.run(...discard)).toMatchObject({ code: 0 });
    expect(subjects((await cli.run(...list, 'skipped')).rows)).toEqual(new Set(belonging));
    expect((await cli.run(...list, 'pending')).rows).toHaveLength(3);
    const { rows: audit } = await cli.run('audit', 'list', '--json');
    expect(audit).toMatchObject([
      { action: 'discardDeliveries', subject: { company: '12' } },
      { action: 'startPlan', subject: { company: '12' } },
    ]);
  });

  test('rejects what is no id', async () => {
    const { code, err } = await cliEnvironment().run('events', 'list', '--company', 'Serra Azul');
    expect([code, err]).toEqual([2, expect.stringContaining('Write the number of a company')]);
  });
});
