/** What commands write into the audit, and how the command line shows and checks it. */
import { hostname } from 'node:os';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { NewAuditEntry } from '../../src/store/audit.ts';
import { cliEnvironment } from './kit/cli-environment.ts';

const ME = `ana@${hostname()}`;
const CPF = '12345678909';

const failing = {
  failing:
    "export default defineHandler({ name: 'failing', on: '*', retry: { attempts: 1 }, handle() { throw new Error('closed'); } });",
};

const indication = {
  type: 'traffic-violation.indication.created',
  data: {
    id: 1,
    status: 'pending',
    tax_id: CPF,
    name: 'Ana de Souza Prado',
    email: 'ana.prado@example.com',
    phone: '11987654321',
    license: '04512345678',
    vars: {},
    requester_email: 'gestor@frota.example',
    requester_phone: '1133334444',
    updated_at: '2026-11-20T10:00:00Z',
  },
};

async function seeded() {
  const cli = cliEnvironment(failing);
  await cli.seed([indication, '{']);
  await cli.dispatch();
  const audit = async (...flags: string[]) => (await cli.run('audit', 'list', '--json', ...flags)).rows;
  return { ...cli, audit };
}

const entry = (changes: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
  at: Date.parse('2026-11-21T03:00:00Z'),
  place: 'console',
  actor: 'bob',
  address: '10.0.0.9',
  action: 'retryDeliveries',
  unmasked: false,
  subject: { delivery: 'd7' },
  reason: null,
  result: 'done',
  status: 303,
  times: 1,
  ends: null,
  ...changes,
});

describe('a command that changes something', () => {
  it.each([
    [
      ['deliveries', 'retry', '--status', 'dead'],
      'retryDeliveries',
      { status: 'dead', retried: '1', deliveries: 'd1' },
      null,
    ],
    [
      ['deliveries', 'discard', '--handler', 'failing', '--reason', 'nobody needs it'],
      'discardDeliveries',
      { handler: 'failing', discarded: '1', deliveries: 'd1' },
      'nobody needs it',
    ],
    [
      ['deliveries', 'discard', 'd1', '--job', '--yes', '--reason', 'nobody needs it'],
      'startPlan',
      { plan: 'discard', items: '1', job: 'j1', ids: '1 chosen', status: 'dead' },
      'nobody needs it',
    ],
    [
      ['quarantine', 'release', '--reason', 'malformed'],
      'releaseQuarantine',
      { reason: 'malformed', released: '0', held: '1' },
      null,
    ],
    [
      ['quarantine', 'discard', 'q1', '--yes', '--reason', 'a test'],
      'discardQuarantine',
      { ids: 'q1', discarded: '1' },
      'a test',
    ],
    [['machines', 'rebuild'], 'rebuildMachines', { changed: '0' }, null],
    [
      ['handlers', 'pause', 'failing', '--reason', 'the ledger moves', '--by', 'bia'],
      'pauseDispatch',
      { handler: 'failing', by: 'bia', pause: 'p1' },
      'the ledger moves',
    ],
    [
      ['events', 'prune', '--older', '90d', '--yes'],
      'pruneEvents',
      { events: '0', entries: '0', deliveries: '0' },
      null,
    ],
    [['backup', 'copy.db'], 'backUpDatabase', { file: 'copy.db', events: '1' }, null],
    [['events', 'export', '--file', '-'], 'exportEvents', { file: '-', events: '1' }, null],
    [
      ['privacy', 'hold', 'add', 'user:77', '--reason', 'case 12/2026'],
      'addHold',
      { subject: 'user:77' },
      'case 12/2026',
    ],
    [
      ['privacy', 'erase', CPF, '--yes', '--reason', 'request 7'],
      'erasePerson',
      { erasure: 'x1', identifiers: '1 cpf' },
      'request 7',
    ],
    [
      ['replay', '--yes', '--to', 'http://127.0.0.1:2/x?key=1'],
      'startPlan',
      { plan: 'replay', items: '1', to: '127.0.0.1:2', job: 'j1' },
      null,
    ],
  ] as const)('%j is recorded as %s', async (args, action, subject, reason) => {
    const { run, audit } = await seeded();
    await run(...args);
    expect(await audit()).toMatchObject([
      {
        actor: ME,
        place: 'command-line',
        action,
        subject,
        reason,
        result: 'done',
        unmasked: action === 'exportEvents',
      },
    ]);
    expect(JSON.stringify(await audit())).not.toMatch(/12345678909|Souza|key=1/u);
  });

  it('that ends pauses names those that it ended', async () => {
    const { run, audit } = await seeded();
    await run('handlers', 'pause', 'failing', '--reason', 'a test');
    await run('handlers', 'resume', '--all');
    const [resumed] = await audit('--action', 'resumeDispatch');
    expect(resumed?.['subject']).toEqual({ all: 'true', resumed: '1', paused: 'p1 handler failing' });
  });

  it('names a thousand ids of many, and their number', async () => {
    const cli = cliEnvironment(failing);
    const kind = 'traffic-violation.indication.created';
    await cli.seed(
      Array.from({ length: 1_003 }, (_, id) => ({ type: kind, data: { ...indication.data, id } })),
    );
    await cli.run('deliveries', 'discard', '--handler', 'failing', '--reason', 'a test');
    const [entry] = (await cli.run('audit', 'list', '--json')).rows;
    const subject = entry?.['subject'] as Record<string, string>;
    expect(subject['discarded']).toBe('1003');
    expect(subject['deliveries']).toMatch(/^d1, (?:d\d+, )+d1000 and 3 more$/u);
    const { out } = await cli.run('audit', 'list');
    expect(Math.max(...out.split('\n').map(({ length }) => length))).toBeLessThan(300);
  });

  it('is recorded as failed when it failed', async () => {
    const { run, audit } = await seeded();
    expect((await run('deliveries', 'retry', 'd77')).code).toBe(3);
    expect((await run('privacy', 'hold', 'remove', 'user:77')).code).toBe(3);
    expect((await audit()).map(({ action, result }) => [action, result])).toEqual([
      ['removeHold', 'failed'],
      ['retryDeliveries', 'failed'],
    ]);
  });

  it('is not recorded when it only shows what it would do', async () => {
    const { run, audit } = await seeded();
    await run('deliveries', 'retry', '--status', 'dead', '--dry-run');
    await run('quarantine', 'release', '--dry-run');
    await run('machines', 'rebuild', '--dry-run');
    await run('privacy', 'erase', CPF, '--dry-run');
    await run('events', 'prune', '--older', '90d', '--dry-run');
    expect(await audit()).toEqual([]);
  });

  it('does nothing when it cannot be recorded', async () => {
    const { run, database, audit, withStore } = await seeded();
    const file = new BetterSqlite3(database);
    file.exec("create trigger full before insert on audit begin select raise(abort, 'no room'); end");
    const { code, err } = await run('deliveries', 'retry', 'd1');
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('Nothing was changed, because the audit cannot record it'),
    ]);
    const shown = await run('events', 'show', '1', '--unmask');
    expect([shown.code, shown.out]).toEqual([1, '']);
    file.exec('drop trigger full');
    file.close();
    expect(await audit()).toEqual([]);
    const dead = await withStore((store) =>
      store.deliveries({ status: 'dead' }, { order: 'newest', limit: 9 }),
    );
    expect(dead.map(({ id }) => id)).toEqual(['d1']);
  });

  it('names the person behind sudo, and where ssh came from', async () => {
    const { begin, audit } = await seeded();
    const env = { SSH_CONNECTION: '203.0.113.9 50000 10.0.0.1 22' };
    await begin(['deliveries', 'retry', 'd1'], { env }).ended;
    expect(await audit()).toMatchObject([{ actor: ME, address: '203.0.113.9' }]);
  });
});

describe('personal data', () => {
  it('shown by any command is recorded', async () => {
    const { run, audit } = await seeded();
    const shown = [
      [['events', 'show', '1', '--unmask'], 'showEvent', { id: '1' }],
      [['deliveries', 'show', 'd1', '--unmask'], 'showDelivery', { id: 'd1' }],
      [['deliveries', 'list', '--unmask', '--status', 'dead'], 'listDeliveries', { status: 'dead' }],
      [['quarantine', 'show', 'q1', '--unmask'], 'showQuarantineEntry', { id: 'q1' }],
      [
        ['subjects', 'show', 'traffic-violation-indication:1', '--unmask'],
        'showSubject',
        { subject: 'traffic-violation-indication:1' },
      ],
      [['privacy', 'find', CPF, '--unmask'], 'findPerson', { identifiers: '1 cpf', rows: '1' }],
    ] as const;
    for (const [args] of shown) expect((await run(...args)).code, args.join(' ')).toBe(0);
    expect(await audit('--unmasked')).toMatchObject(
      shown
        .map(([, action, subject]) => ({ actor: ME, action, subject, unmasked: true, result: 'done' }))
        .toReversed(),
    );
    expect(JSON.stringify(await audit())).not.toMatch(/12345678909|Souza/u);
  });

  it('that stays masked is not', async () => {
    const { run, audit } = await seeded();
    await run('events', 'show', '1');
    await run('privacy', 'find', CPF);
    expect(await audit()).toEqual([]);
  });
});

describe('audit list', () => {
  it('shows the newest first, in a table, and nothing that a terminal would obey', async () => {
    const { run, withStore } = await seeded();
    const naughty = 'bob\u001b[2J\u202e\n';
    await withStore(async (store) => {
      await store.appendAudit(
        entry({ actor: null, action: 'authenticate', result: 'rejected', times: 40, subject: {} }),
      );
      await store.appendAudit(entry({ actor: naughty, reason: naughty, subject: { [naughty]: naughty } }));
    });
    const { out, code } = await run('audit', 'list');
    expect(code).toBe(0);
    const lines = out.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain('bob\\u001b[2J\\u202e\\n');
    expect(lines[2]).toContain('rejected 40 times');
    expect(out).not.toMatch(/[\u001b\u202e]/u);
  });

  const narrowed = [
    [
      ['--actor', 'bob'],
      ['u2', 'u1'],
    ],
    [['--actor', 'carla'], []],
    [['--subject', 'd8'], ['u2']],
    [['--action', 'signIn'], ['u3']],
    [['--since', '30m'], ['u3']],
    [['--until', '30m', '--limit', '1'], ['u2']],
    [['--place', 'api'], ['u3']],
    [['--result', 'failed'], ['u2']],
  ] as const;

  it('is narrowed by each flag', async () => {
    const { withStore, audit } = await seeded();
    await withStore(async (store) => {
      await store.appendAudit(entry());
      await store.appendAudit(entry({ subject: { delivery: 'd7, d8' }, result: 'failed' }));
      const recent = Date.parse('2026-11-21T03:50:00Z');
      await store.appendAudit(entry({ at: recent, actor: 'carl', action: 'signIn', place: 'api' }));
    });
    for (const [flags, ids] of narrowed)
      expect(
        (await audit(...flags)).map(({ id }) => id),
        flags.join(' '),
      ).toEqual(ids);
  });
});

describe('audit verify', () => {
  it('prints a mark by which a later check notices what a hand removed', async () => {
    const { run, database } = await seeded();
    await run('deliveries', 'retry', 'd1');
    const whole = await run('audit', 'verify');
    expect(whole).toMatchObject({
      code: 0,
      out: expect.stringContaining('Whole: 2 entries, none changed or removed.'),
    });
    const mark = /u2:[0-9a-f]{64}/u.exec(whole.out)?.[0] ?? '';
    await run('deliveries', 'retry', 'd1');
    expect((await run('audit', 'verify', '--known', mark)).code).toBe(0);

    const file = new BetterSqlite3(database);
    file.exec("drop trigger audit_is_not_changed; update audit set actor = 'bob' where id = 1");
    file.close();

    const changed = await run('audit', 'verify', '--known', mark);
    expect(changed).toMatchObject({ code: 1, out: expect.stringContaining('NOT WHOLE: 1 problem') });
    expect(changed.out).toContain('u1 was changed');
    const [json] = (await run('audit', 'verify', '--json')).rows;
    expect(json).toMatchObject({ whole: false, entries: 4, problems: [{ id: 'u1' }] });
  });

  it('rejects a mark that is none', async () => {
    const { run } = await seeded();
    const { code, err } = await run('audit', 'verify', '--known', 'u2');
    expect([code, err]).toEqual([2, expect.stringContaining('Write it as `audit verify` prints it')]);
  });
});

describe('an erasure of a person who operates', () => {
  it('ends with a receipt: the audit keeps who acted', async () => {
    const { run, withStore } = await seeded();
    await withStore((store) => store.appendAudit(entry({ actor: 'ana.prado@example.com' })));
    const { code, err } = await run(
      'privacy',
      'erase',
      CPF,
      'ana.prado@example.com',
      '--yes',
      '--reason',
      'request 7',
    );
    expect(code).toBe(0);
    expect(err).toContain('1 entry of the audit name');
    const { rows } = await run('audit', 'list', '--json', '--actor', 'ana.prado@example.com');
    expect(rows).toHaveLength(1);
  });
});

describe('a restore', () => {
  it('goes on with the audit of the replaced database, and is an entry itself', async () => {
    const { run, audit } = await seeded();
    await run('deliveries', 'retry', 'd1');
    await run('backup', 'copy.db');
    await run('events', 'show', '1', '--unmask');

    const restored = await run('restore', 'copy.db', '--yes', '--json');

    expect(restored, restored.err).toMatchObject({ code: 0 });
    expect((await audit()).map(({ action }) => action)).toEqual([
      'restoreDatabase',
      'showEvent',
      'backUpDatabase',
      'retryDeliveries',
    ]);
    expect((await audit())[0]).toMatchObject({ actor: ME, subject: { from: 'copy.db' }, result: 'done' });
    expect((await run('audit', 'verify')).code).toBe(0);
  });
});
