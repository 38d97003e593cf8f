import { describe, expect, test, vi } from 'vitest';
import { cliEnvironment, company, violation } from '../kit/cli-environment.ts';

const OLD = Date.parse('2026-11-20T00:00:00Z');

async function cliWithEvents() {
  const cli = cliEnvironment();
  await cli.seed([violation(1)], { receivedAt: OLD });
  await cli.seed([violation(1, 'paid'), violation(1), violation(2)]);
  await cli.seed([company(12, '2026-11-02T00:00:00Z'), company(12, '2026-11-01T00:00:00Z')], {
    source: 'fleet',
  });
  await cli.seed([{ type: 'user.login.failed', data: { id: 5 } }, violation(2)]);
  return cli;
}

describe('events list', () => {
  test('prints every field of an event, newest first', async () => {
    const { rows } = await (await cliWithEvents()).run('events', 'list', '--json');
    expect(rows.map(({ id }) => String(id).split('-')[1])).toEqual(['7', '6', '5', '4', '3', '2', '1']);
    expect(rows[2]).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{6}-5$/) as string,
      kind: 'company.updated',
      subject: 'company:12',
      source: 'fleet',
      verdict: 'new',
      recognized: true,
      flags: [],
      version: expect.stringMatching(/^2026-11-02T00:00:00/) as string,
      received_at: '2026-11-21T04:00:00.000Z',
      repeats: 0,
      last_repeat_at: null,
      message_id: null,
      message_id_trusted: false,
      outcome: 'none',
      deliveries: { pending: 0, running: 0, succeeded: 0, dead: 0, skipped: 0 },
    });
    expect(rows[3]).toMatchObject({ subject: 'traffic-violation:2', repeats: 1 });
  });

  test('is narrowed by each flag', async () => {
    const cli = await cliWithEvents();
    for (const [flags, expected] of Object.entries({
      '--kind traffic-violation.*': [4, 3, 2, 1],
      '--kind company.updated --kind user.login.failed': [7, 6, 5],
      '--subject traffic-violation:1': [3, 2, 1],
      '--source fleet': [6, 5],
      '--verdict stale': [6],
      '--flag ambiguous': [3],
      '--flag unrecognized': [7],
      '--until 12h': [1],
      '--since 2026-11-21 --kind traffic-violation.*': [4, 3, 2],
      '--since 2026-11-20T00:00:01Z --source fleet': [6, 5],
      '--id 2 --id 4': [4, 2],
      '--limit 2': [7, 6],
      '--limit all --verdict new': [7, 5, 4, 2, 1],
      '--limit 0 --verdict ambiguous': [3],
    })) {
      const { rows, code } = await cli.run('events', 'list', '--json', ...flags.split(' '));
      expect([code, rows.map(({ id }) => Number(String(id).split('-')[1]))], flags).toEqual([0, expected]);
    }
  });

  test('prints local times with their offset, and takes a time without a zone as local', async () => {
    vi.stubEnv('TZ', 'America/Sao_Paulo');
    const cli = await cliWithEvents();
    expect((await cli.run('events', 'list')).out).toMatch(/^2026-11-21 01:00:00-03 /m);
    const since = async (time: string) => {
      const { rows } = await cli.run('events', 'list', '--json', '--until', '13h', '--since', time);
      return rows.length;
    };
    expect(await since('2026-11-19 21:00')).toBe(1);
    expect(await since('2026-11-19 21:00:01')).toBe(0);
    expect(await since('2026-11-19T21:00:00Z')).toBe(1);
    expect(await since('2026-11-20T00:00:01Z')).toBe(0);
  });

  test('prints an aligned table, and says when it is cut', async () => {
    const { out, err } = await (await cliWithEvents()).run('events', 'list', '--limit', '2');
    const [head = '', first = '', second = ''] = out.split('\n');
    expect(head).toMatch(/^RECEIVED +ID +KIND +SUBJECT +OUTCOME +VERDICT +FLAGS +SOURCE +REPEATS +VERSION$/);
    expect(first).toContain('2026-11-21 04:00:00Z');
    expect(first.indexOf('user-login:5')).toBe(head.indexOf('SUBJECT'));
    expect(second.indexOf('company:12')).toBe(head.indexOf('SUBJECT'));
    expect(err).toContain('More than 2 rows; --limit all');
  });

  test('a narrow terminal shows fewer columns, but every row', async () => {
    const cli = await cliWithEvents();
    const { out } = await cli.begin(['events', 'list'], { columns: 90 }).ended;
    const lines = out.trimEnd().split('\n');
    expect(lines).toHaveLength(8);
    expect(lines[0]).toContain('SUBJECT');
    expect(lines[0]).not.toContain('VERSION');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(90);
  });

  test('says that a list is empty; with --json it prints nothing', async () => {
    const cli = cliEnvironment();
    await cli.seed([]);
    expect((await cli.run('events', 'list')).out).toBe('No event matches.\n');
    expect((await cli.run('events', 'list', '--json')).out).toBe('');
  });

  test('notes a kind that is not in the contract, and searches for it all the same', async () => {
    const { code, err } = await (await cliWithEvents()).run('events', 'list', '--kind', 'comapny.updated');
    expect(code).toBe(0);
    expect(err).toContain('did you mean company.updated?');
  });

  test('reads a long list page by page, each row once', async () => {
    const cli = cliEnvironment();
    await cli.seed(Array.from({ length: 1203 }, (_, index) => violation(index)));
    const { rows } = await cli.run('events', 'list', '--json', '--limit', 'all');
    expect(new Set(rows.map(({ id }) => id)).size).toBe(1203);
    expect((await cli.run('events', 'list', '--limit', '1100')).out.trimEnd().split('\n')).toHaveLength(1101);
  });

  test('ends with 0 when the reader closes the pipe', async () => {
    const cli = await cliWithEvents();
    const { terminal, ended } = cli.begin(['events', 'list', '--json']);
    (terminal.out.stream as unknown as { destroy(): void }).destroy();
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });
});

describe('events show', () => {
  const login = {
    type: 'company.login.started',
    data: {
      id: 12,
      tax_id: '11222333000181',
      uid: 'u',
      connected: false,
      step: null,
      attempt: 1,
      occurred_at: '2026-11-01T00:00:00Z',
    },
  };

  test('masks personal data without --unmask, as text and as JSON', async () => {
    const cli = cliEnvironment();
    await cli.seed([login]);
    for (const flags of [[], ['--json']]) {
      expect((await cli.run('events', 'show', '1', ...flags)).out).not.toContain('11222333000181');
      expect((await cli.run('events', 'show', '1', '--unmask', ...flags)).out).toContain('11222333000181');
    }
  });

  test('takes the full id or the number, and shows the deliveries', async () => {
    const cli = cliEnvironment({
      log: "export default defineHandler({ name: 'log', on: '*', handle() {} });",
    });
    await cli.seed([violation(1)]);
    await cli.dispatch();
    const [row] = (await cli.run('events', 'show', '1', '--json')).rows;
    expect(row).toMatchObject({
      data: { id: 1, status: 'pending' },
      deliveries: [{ handler: 'log', status: 'succeeded' }],
    });
    const { out } = await cli.run('events', 'show', String(row?.['id']));
    expect(out).toMatch(/^event +[0-9a-z]{6}-1$/m);
    expect(out).toMatch(/d1 +log +succeeded/);
  });

  test('marks a message id that is not trusted', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1)], { messageId: 'evt_1' });
    await cli.seed([violation(2)], { messageId: 'evt_2', messageIdTrusted: false });
    await cli.seed([violation(3)]);
    const shown = await Promise.all(
      ['1', '2', '3'].map(async (id) => (await cli.run('events', 'show', id)).out),
    );
    expect(shown.map((out) => /^message id +(.*)$/m.exec(out)?.[1])).toEqual([
      'evt_1',
      'evt_2 (not signed: duplicates are detected by content)',
      'none',
    ]);
  });

  test('escapes control characters in a payload', async () => {
    const cli = cliEnvironment();
    await cli.seed([violation(1, '\u001b[2J\u009b1m\u202e')]);
    const { out } = await cli.run('events', 'show', '1', '--unmask');
    expect(out).toContain(String.raw`\u001b[2J\u009b1m\u202e`);
    for (const raw of ['\u001b', '\u009b', '\u202e']) expect(out).not.toContain(raw);
  });

  test('ends with 3 for an unknown event', async () => {
    const cli = cliEnvironment();
    await cli.seed([]);
    expect(await cli.run('events', 'show', '9')).toMatchObject({
      code: 3,
      err: 'error: There is no event 9 (see `portaria events list`)\n',
    });
  });
});

describe('events tail', () => {
  test('prints the newest events, then new ones until Ctrl-C', async () => {
    const cli = await cliWithEvents();
    const { terminal, ended } = cli.begin(['events', 'tail', '-n', '2', '--json']);
    await terminal.printed('user.login.failed');
    await cli.seed([violation(77), violation(78)]);
    await terminal.printed('traffic-violation:78');
    terminal.interrupt();
    const { code, rows } = await ended;
    expect(code).toBe(0);
    expect(rows.map(({ subject }) => subject)).toEqual([
      'company:12',
      'user-login:5',
      'traffic-violation:77',
      'traffic-violation:78',
    ]);
  });

  test('prints only matching events, also when none matches at first', async () => {
    const cli = cliEnvironment();
    await cli.seed([]);
    const { terminal, ended } = cli.begin(['events', 'tail', '--json', '--kind', 'company.*']);
    await cli.seed([violation(1), company(1, '2026-11-02T00:00:00Z'), violation(2)]);
    await terminal.printed('company:1');
    terminal.interrupt();
    expect((await ended).rows.map(({ subject }) => subject)).toEqual(['company:1']);
  });
});

describe('events list --where and --contains', () => {
  test('find events by their payloads, newest first, and say what was not searched', async () => {
    const cli = await cliWithEvents();
    const found = await cli.run('events', 'list', '--where', 'data.status = paid', '--json');
    expect(found.rows.map(({ subject }) => subject)).toEqual(['traffic-violation:1']);
    expect(found.rows[0]).toMatchObject({ outcome: 'none' });
    expect(found.err).toContain('Personal data was not searched; --unmask searches it, too.');
    const both = ['--contains', 'serra', '--where', 'data.id = 12', '--kind', 'company.*'];
    expect((await cli.run('events', 'list', ...both, '--json')).rows).toHaveLength(2);
    const limited = await cli.run('events', 'list', ...both, '--limit', '1');
    expect(limited.out).toContain('company:12');
    expect(limited.err).toContain('More than 1 row');
    expect((await cli.run('events', 'list', '--contains', 'nowhere')).out).toBe('No event matches.\n');
  });

  test('search personal data with --unmask only', async () => {
    const cli = cliEnvironment();
    await cli.seed(['{"type":"odd.kind","data":{"id":1,"document":12345678901234567890}}']);
    const exact = ['--where', 'data.document = 12345678901234567891', '--unmask', '--json'];
    expect((await cli.run('events', 'list', ...exact)).rows).toEqual([]);
    const where = ['--where', 'data.document > 1', '--json'];
    expect((await cli.run('events', 'list', ...where)).rows).toEqual([]);
    const unmasked = await cli.run('events', 'list', ...where, '--unmask');
    expect(unmasked.rows).toHaveLength(1);
    expect(unmasked.err).not.toContain('not searched');
  });

  test('reject a condition that cannot be read, with an example', async () => {
    const { code, err } = await (await cliWithEvents()).run('events', 'list', '--where', 'status=paid');
    expect(code).toBe(2);
    expect(err).toContain('begin a condition with a field of the payload: data.company.tax_id');
  });
});
