/** `portaria reconcile` against a provider with a few records, whose lists can be bent. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { cliEnvironment, type Envelope } from './kit/cli-environment.ts';

type Fields = Record<string, unknown>;

const EARLIER = Date.parse('2026-11-20T12:00:00Z');
const BEFORE = '2026-11-20T10:00:00.000Z';
const AFTER = '2026-11-20T11:00:00.000Z';

const charge = (id: number, status = 'pending'): Fields => ({ id, type: 'fee', status, amount: 12.5 });
const user = (id: string, updatedAt: string, email = 'ana@frota.example'): Fields => ({
  ...{ id, name: 'Ana', email, updated_at: updatedAt },
});
const chargeEvent = (data: Fields): Envelope => ({ type: 'charge.updated', data });
const userEvent = (data: Fields, kind = 'updated'): Envelope => ({ type: `console-user.${kind}`, data });

interface Provider {
  /** Records by the path of their list. */
  readonly records: Record<string, Fields[]>;
  /** Statuses of single records, by path. */
  readonly statuses: Record<string, number>;
  /** Called with each path, before it is answered. */
  before: (path: string, page: number) => void;
}

/** A provider on this machine, and a command line with its address. */
async function setUp(handlers: Readonly<Record<string, string>> = {}) {
  const provider: Provider = { records: {}, statuses: {}, before: () => undefined };
  const server = createServer((request, response) => {
    answer(provider, new URL(request.url ?? '', 'http://provider'), response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const cli = cliEnvironment(handlers);
  cli.env['PORTARIA_API_URL'] = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  cli.env['PORTARIA_API_KEY'] = 'fdc_0123456789abcdef';
  const known = (...envelopes: readonly (Envelope | string)[]) =>
    cli.seed(envelopes, { receivedAt: EARLIER });
  const reconcile = async (...flags: readonly string[]) => {
    const run = await cli.run('reconcile', '--json', ...flags);
    return { ...run, outcomes: run.rows.map(({ subject, outcome }) => [subject, outcome]) };
  };
  return { provider, cli, known, reconcile };
}

function answer({ records, statuses, before }: Provider, url: URL, response: ServerResponse): void {
  const path = url.pathname.replace(/^\/v1/u, '').replace(/\/$/u, '');
  const page = Number(url.searchParams.get('pagination[page]') ?? 1);
  const size = Number(url.searchParams.get('pagination[size]') ?? 100);
  before(path, page);
  const send = (status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const fails = statuses[path];
  if (fails !== undefined) {
    send(fails, { error: 'no' });
    return;
  }
  const [, parent = '', id = ''] = /^(.*)\/([^/]+)$/u.exec(path) ?? [];
  const one = records[parent]?.find((record) => String(record['id']) === id);
  // One console user comes without `data` around it (specification, Console users).
  if (one !== undefined) send(200, parent === '/console/users' ? one : { data: one });
  else if (parent in records && !/(?:slips|tickets)$/u.test(path)) send(404, { error: 'Not Found' });
  else {
    const all = records[path] ?? [];
    const data = all.slice((page - 1) * size, page * size);
    send(200, { data, pagination: { page, size }, total: all.length });
  }
}

describe('what differs', () => {
  test('given records and events alike, nothing: code 0, and families without a list are named', async () => {
    const { provider, cli, known } = await setUp();
    provider.records['/charges'] = [charge(1)];
    provider.records['/console/users'] = [user('u1', '2026-11-20T10:00:00Z')];
    await known(chargeEvent(charge(1)), userEvent(user('u1', '2026-11-20T07:00:00.000-03:00')));
    const { code, out } = await cli.run('reconcile');
    expect(out).toBe(
      '2 subjects: 2 equal, 0 not.\nNot checked: company-login, user-login, traffic-violation-indication.\n',
    );
    expect(code).toBe(0);
  });

  test('given a record of which no webhook came, missed, with the handlers that would hear of it', async () => {
    const on = (name: string, kind: string) =>
      `export default defineHandler({ name: '${name}', on: '${kind}', handle() {} });`;
    const { provider, known, reconcile } = await setUp({
      ...{ opener: on('opener', 'charge.created'), ledger: on('ledger', 'charge.updated') },
    });
    provider.records['/charges'] = [charge(7), charge(8, 'paid')];
    await known(chargeEvent(charge(8)), chargeEvent(charge(9)));
    const { code, rows } = await reconcile('--family', 'charge');
    expect(rows).toMatchObject([
      { subject: 'charge:7', outcome: 'missed', handlers: ['opener'], event: null },
      { subject: 'charge:8', outcome: 'behind', handlers: ['ledger'] },
      { subject: 'charge:9', outcome: 'removed', handlers: [] },
    ]);
    expect(code).toBe(6);
  });

  test('given a body about it in the quarantine, that is named', async () => {
    const { provider, known, reconcile } = await setUp();
    provider.records['/charges'] = [charge(7)];
    await known(chargeEvent({ ...charge(7), amount: 'a lot' }));
    expect((await reconcile('--family', 'charge')).rows).toMatchObject([{ quarantined: 'q1' }]);
  });

  test('given a record that is newer, behind, with the fields that differ, of which personal ones are masked', async () => {
    const { provider, known, reconcile } = await setUp();
    provider.records['/console/users'] = [user('u1', AFTER, 'bia@frota.example')];
    await known(userEvent(user('u1', BEFORE)));
    const { rows } = await reconcile();
    expect(rows).toMatchObject([{ subject: 'console-user:u1', outcome: 'behind', changed_at: AFTER }]);
    expect(rows[0]?.['fields']).toEqual([
      { path: 'email', ours: '***', theirs: '***' },
      { path: 'updated_at', ours: BEFORE, theirs: AFTER },
    ]);
    expect((await reconcile('--unmask')).out).toContain('bia@frota.example');
  });

  test('given a record of a family without versions, behind, too', async () => {
    const { provider, known, reconcile } = await setUp();
    provider.records['/charges'] = [charge(1, 'paid')];
    await known(chargeEvent(charge(1)));
    expect((await reconcile()).rows[0]?.['fields']).toEqual([
      { path: 'status', ours: 'pending', theirs: 'paid' },
    ]);
  });

  test('fields that only one side has say nothing', async () => {
    const { provider, known, reconcile } = await setUp();
    provider.records['/charges'] = [{ ...charge(1), link: 'x', company: { id: 3, name: 'Nova' } }];
    await known(chargeEvent({ ...charge(1), company: { id: 3, name: 'Velha', tax_id: '11222333000181' } }));
    expect((await reconcile()).code).toBe(0);
  });

  test('given an event that is newer than the record, ahead', async () => {
    const { provider, known, reconcile } = await setUp();
    provider.records['/console/users'] = [user('u1', BEFORE, 'old@frota.example')];
    await known(userEvent(user('u1', AFTER)));
    expect((await reconcile()).outcomes).toEqual([['console-user:u1', 'ahead']]);
  });

  test('given a subject that the list lacks: removed by 404, withheld by 403, as expected after a deletion', async () => {
    const { provider, known, reconcile } = await setUp();
    provider.records['/console/users'] = [user('here', BEFORE)];
    provider.statuses['/console/users/hidden'] = 403;
    await known(
      ...['here', 'gone', 'hidden', 'deleted'].map((id) => userEvent(user(id, BEFORE))),
      userEvent(user('deleted', AFTER), 'deleted'),
    );
    expect((await reconcile()).outcomes).toEqual([
      ['console-user:hidden', 'withheld'],
      ['console-user:gone', 'removed'],
    ]);
  });

  test('given an event that came while the list was read, overtaken', async () => {
    const { provider, cli, known, reconcile } = await setUp();
    provider.records['/charges'] = [charge(1, 'paid')];
    await known(chargeEvent(charge(1)));
    await cli.seed([chargeEvent(charge(1, 'overdue'))], { receivedAt: Date.parse('2027-01-01T00:00:00Z') });
    expect((await reconcile()).outcomes).toEqual([['charge:1', 'overtaken']]);
  });

  test('given an event without its content, unknown', async () => {
    const { provider, cli, known, reconcile } = await setUp();
    provider.records['/charges'] = [charge(1, 'paid')];
    await known(chargeEvent(charge(1)));
    await cli.run('events', 'prune', '--older', '1h', '--yes');
    expect((await reconcile()).outcomes).toEqual([['charge:1', 'unknown']]);
  });
});

describe('what could not be looked at', () => {
  test('is never equal: a list that is empty where the store has records', async () => {
    const { known, reconcile } = await setUp();
    await known(chargeEvent(charge(1)));
    const { code, err } = await reconcile();
    expect(err).toContain("charge: could not look: the provider's list is empty, and the store has 1");
    expect(code).toBe(1);
  });

  test('is never equal: a list that breaks off', async () => {
    const { provider, known, reconcile } = await setUp();
    provider.records['/console/users'] = [user('u1', BEFORE)];
    provider.statuses['/charges'] = 400;
    await known();
    const { code, err, outcomes } = await reconcile();
    expect(err).toContain('charge: could not look');
    expect(outcomes).toEqual([['console-user:u1', 'missed']]);
    expect(code).toBe(1);
  });

  test('given records that move between the pages once, the list is read again; given more, it could not look', async () => {
    const { provider, known, reconcile } = await setUp();
    const all = Array.from({ length: 150 }, (_, at) => charge(at + 1));
    provider.records['/charges'] = all;
    await known(...all.slice(0, 149).map(chargeEvent));
    let removals = 1;
    provider.before = (path, page) => {
      if (path === '/charges' && page === 2 && removals-- > 0) provider.records['/charges']?.shift();
    };
    expect((await reconcile('--family', 'charge')).outcomes).toEqual([
      ['charge:150', 'missed'],
      ['charge:1', 'removed'],
    ]);
    removals = Infinity;
    const { code, err } = await reconcile('--family', 'charge');
    expect(err).toContain('its records moved between the pages in each of 3 readings');
    expect(code).toBe(1);
  });
});

describe('a repair', () => {
  const ledger = "export default defineHandler({ name: 'ledger', on: '*', handle() {} });";
  const slip = { id: 4, status: 'issued', amount: 12.5, payment_method: 'pix', pix: null };

  test('is planned first: how many, and who hears of them', async () => {
    const { provider, cli, known } = await setUp({ ledger });
    provider.records['/charges'] = [charge(1, 'paid'), charge(2)];
    await known(chargeEvent(charge(1)));
    const { out, code } = await cli.run('reconcile', '--repair', '--plan');
    expect(out).toContain('2 subjects to repair; told to machines and handlers');
    expect(code).toBe(0);
    expect((await cli.run('events', 'list', '--json')).rows).toHaveLength(1);
  });

  test('of an empty store fills it, told to machines only; afterwards nothing differs', async () => {
    const { provider, cli, known, reconcile } = await setUp({ ledger });
    provider.records['/charges'] = [charge(1), charge(2)];
    provider.records['/charges/payment-slips'] = [
      { ...slip, charge: { id: 1 }, created_at: BEFORE, updated_at: AFTER },
    ];
    provider.records['/charges/1/payment-slips'] = [slip];
    provider.records['/console/users'] = [user('u1', BEFORE)];
    await known();
    await cli.serve();
    const { code, rows } = await reconcile('--repair', '--yes');
    expect(rows.at(-1)).toMatchObject({ action: 'repair', state: 'finished', acted: 4, succeeded: 4 });
    expect(code).toBe(0);
    expect(await reconcile()).toMatchObject({ code: 0, rows: [] });
    const events = (await cli.run('events', 'list', '--json')).rows;
    expect(events.map(({ kind }) => kind).toSorted()).toEqual([
      ...['charge.created', 'charge.created', 'charge.payment-slip.created', 'console-user.created'],
    ]);
    expect((await cli.run('deliveries', 'list', '--handler', 'ledger', '--json')).rows).toEqual([]);
    provider.records['/charges'].push(charge(3));
    const { out } = await cli.run('reconcile', '--repair', '--plan');
    expect(out, 'the backfill goes on').toContain('1 subject to repair; told to machines only');
  });

  test('of a store that has events is told to all', async () => {
    const { provider, cli, known, reconcile } = await setUp({ ledger });
    provider.records['/charges'] = [charge(1, 'paid')];
    await known(chargeEvent(charge(1)));
    await cli.serve();
    const { code, rows } = await reconcile('--repair', '--yes');
    expect(rows.at(-1)).toMatchObject({ state: 'finished', acted: 1, succeeded: 1 });
    expect(code).toBe(0);
    const { rows: events } = await cli.run('events', 'list', '--flag', 'reconciled', '--json');
    expect(events).toMatchObject([{ subject: 'charge:1', kind: 'charge.updated', outcome: 'succeeded' }]);
  });

  test('stops when the provider is away, and goes on from there', async () => {
    const { provider, cli, known, reconcile } = await setUp();
    provider.records['/charges'] = [charge(1), charge(2)];
    await known(chargeEvent(charge(9)), chargeEvent(charge(1, 'paid')));
    provider.records['/charges'].push(charge(9));
    await cli.serve();
    provider.before = (path) => {
      if (path === '/charges/1') away += 1;
      if (away === 2) provider.statuses['/charges/1'] = 401;
    };
    let away = 0;
    const { rows } = await reconcile('--repair', '--yes');
    const job = rows.at(-1);
    expect(job).toMatchObject({ state: 'stopped', ending: { code: 'target-down' } });
    delete provider.statuses['/charges/1'];
    provider.before = () => undefined;
    const resumed = await cli.run('jobs', 'resume', String(job?.['id']), '--json');
    expect(resumed.code).toBe(0);
    await vi.waitFor(async () => {
      expect(await reconcile()).toMatchObject({ code: 0 });
    }, 20_000);
  });

  test('looks only at what changed since, where the records say when', async () => {
    const { provider, known, reconcile } = await setUp();
    provider.records['/console/users'] = ['u1', 'u2'].map((id, at) =>
      user(id, at === 0 ? BEFORE : AFTER, 'new@frota.example'),
    );
    await known(userEvent(user('u1', BEFORE)), userEvent(user('u2', BEFORE)));
    expect((await reconcile('--since', '2026-11-20T10:30:00Z')).outcomes).toEqual([
      ['console-user:u2', 'behind'],
    ]);
  });
});

test('interrupted, says with which command it goes on', async () => {
  const { provider, cli, known } = await setUp();
  provider.records['/console/users'] = [user('u1', BEFORE)];
  await known();
  const { terminal, ended } = cli.begin(['reconcile', '--json', '--rate', '500']);
  provider.before = (path) => {
    if (path === '/charges') terminal.interrupt();
  };
  const { code, err, rows } = await ended;
  expect(rows).toMatchObject([{ subject: 'console-user:u1' }]);
  expect(err).toBe(
    'Interrupted. To go on: portaria reconcile --source default --rate 500 --json --family charge --family charge-payment-slip\n',
  );
  expect(code).toBe(130);
});

test('interrupted before a repair, goes on with what it would have repaired, too', async () => {
  const { provider, cli, known } = await setUp();
  provider.records['/console/users'] = [user('u1', BEFORE)];
  await known();
  const { terminal, ended } = cli.begin(['reconcile', '--json', '--repair']);
  provider.before = (path) => {
    if (path === '/charges') terminal.interrupt();
  };
  expect((await ended).err).toBe(
    'Interrupted. To go on: portaria reconcile --repair --source default --json --family console-user --family charge --family charge-payment-slip\n',
  );
});

test('looks once at a subject of a family that is looked at', async () => {
  const { provider, known, reconcile } = await setUp();
  provider.records['/charges'] = [charge(1, 'paid')];
  await known(chargeEvent(charge(1)));
  const { outcomes } = await reconcile('--family', 'charge', '--subject', 'charge:1');
  expect(outcomes).toEqual([['charge:1', 'behind']]);
});

test('looks at single subjects by their own records', async () => {
  const { provider, known, reconcile } = await setUp();
  provider.records['/charges'] = [charge(1, 'paid'), charge(2), charge(3, 'paid')];
  await known(chargeEvent(charge(1)), chargeEvent(charge(2)), chargeEvent(charge(3)));
  expect((await reconcile('--subject', 'charge:1', '--subject', 'charge:2')).outcomes).toEqual([
    ['charge:1', 'behind'],
  ]);
});

test('compares the events of a source with its own API, and asks no other', async () => {
  const { provider, cli, reconcile } = await setUp();
  provider.records['/charges'] = [charge(1, 'paid')];
  await cli.seed([chargeEvent(charge(1))], { receivedAt: EARLIER, source: 'branch' });
  const other = ['--source', 'branch', '--family', 'charge'];
  expect(await reconcile(...other)).toMatchObject({
    code: 4,
    err: expect.stringContaining('PORTARIA_SOURCES.branch.apiUrl: is not set') as string,
  });
  const api = { apiUrl: cli.env['PORTARIA_API_URL'], apiKey: cli.env['PORTARIA_API_KEY'] };
  cli.env['PORTARIA_SOURCES'] = JSON.stringify({ branch: { verify: 'none', ...api } });
  expect((await reconcile(...other)).outcomes).toEqual([['charge:1', 'behind']]);
});

test('says what is wrong with a family, a subject and the settings', async () => {
  const { cli, known, reconcile } = await setUp();
  await known();
  expect((await reconcile('--family', 'charges')).err).toContain('the families are company, console-user');
  expect((await reconcile('--subject', '12')).err).toContain('must be a family and an id: charge:12');
  delete cli.env['PORTARIA_API_URL'];
  delete cli.env['PORTARIA_API_KEY'];
  expect(await reconcile()).toMatchObject({ code: 4, err: expect.stringContaining('PORTARIA_API_URL') });
});
