import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { openOpsDesk, type OpsDesk } from './ops-desk.ts';

let desk: OpsDesk;

beforeEach(async () => {
  desk = await openOpsDesk();
});
afterEach(() => desk.close());

const charge = (id: number, status = 'pending') => {
  const { type, data } = fixture('charge.updated');
  return { type, data: { ...data, id, status } };
};

describe('the list of events', () => {
  it('shows the newest first, page by page, until there is no more', async () => {
    for (const id of [1, 2, 3, 4, 5]) await desk.receive(charge(id));

    const first = await desk.get('/api/events?limit=2');
    expect(first.rows.map((row) => row['subject'])).toEqual(['charge:5', 'charge:4']);
    const second = await desk.get(`/api/events?limit=2&cursor=${String(first.body['next'])}`);
    expect(second.rows.map((row) => row['subject'])).toEqual(['charge:3', 'charge:2']);
    const third = await desk.get(`/api/events?limit=2&cursor=${String(second.body['next'])}`);
    expect(third.rows.map((row) => row['subject'])).toEqual(['charge:1']);
    expect(third.body['next']).toBeNull();
  });

  it('has no next page when the last row is the last there is', async () => {
    for (const id of [1, 2]) await desk.receive(charge(id));
    expect((await desk.get('/api/events?limit=2')).body['next']).toBeNull();
  });

  it('shows the oldest first when asked', async () => {
    for (const id of [1, 2]) await desk.receive(charge(id));
    const { rows } = await desk.get('/api/events?order=oldest');
    expect(rows.map((row) => row['subject'])).toEqual(['charge:1', 'charge:2']);
  });

  it('tells all of a row in snake case, with instants as ISO 8601', async () => {
    const receipt = await desk.receive(charge(1), { messageId: 'msg_1' });
    desk.clock.advance(1000);
    await desk.receive(charge(1), { messageId: 'msg_1' });
    const { rows } = await desk.get('/api/events');
    expect(rows).toEqual([
      {
        id: receipt.id,
        kind: 'charge.updated',
        subject: 'charge:1',
        source: 'default',
        verdict: 'new',
        recognized: true,
        flags: [],
        version: null,
        received_at: '2026-11-20T12:00:00.000Z',
        repeats: 1,
        last_repeat_at: '2026-11-20T12:00:01.000Z',
        message_id: 'msg_1',
        message_id_trusted: true,
      },
    ]);
  });

  it.each([
    ['kind=company.created', ['company:47']],
    ['kind=company.*', ['company:47']],
    ['kind=company.created&kind=surprise.created', ['company:47', 'surprise:-']],
    ['kind=company.created,surprise.created', ['company:47', 'surprise:-']],
    ['subject=charge:1', ['charge:1', 'charge:1']],
    ['source=other', ['charge:1']],
    ['flag=unrecognized', ['surprise:-']],
    ['verdict=stale', []],
    ['status=dead', ['charge:1']],
    ['since=2026-11-20T13:00:00Z', ['surprise:-']],
    ['until=2026-11-20T13:00:00Z', ['company:47', 'charge:1', 'charge:1']],
    ['since=2026-11-20T10:00:00-03:00', ['surprise:-']],
    ['since=2026-11-21', []],
    ['kind=charge.*&source=other', ['charge:1']],
  ])('is narrowed by %s', async (conditions, subjects) => {
    await desk.receive(fixture('company.created'));
    await desk.receive(charge(1), { source: 'other' });
    await desk.settle();
    desk.failing = true;
    await desk.receive(charge(1));
    await desk.settle();
    desk.clock.advance(3_600_000);
    await desk.receive({ type: 'surprise.created', data: {} });

    const { rows } = await desk.get(`/api/events?order=oldest&${conditions}`);
    expect(rows.map((row) => row['subject'])).toEqual(subjects);
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=many', 'limit'],
    ['limit=1.5', 'limit'],
    ['cursor=nowhere', 'cursor'],
    ['subject=charge', 'subject'],
    ['verdict=old', 'verdict'],
    ['status=lost', 'status'],
    ['flag=red', 'flag'],
    ['since=yesterday', 'since'],
    ['until=2026-02-30', 'until'],
    ['order=random', 'order'],
    ['knd=charge.updated', 'knd'],
  ])('refuses %s and names it', async (parameter, path) => {
    const { status, body } = await desk.get(`/api/events?${parameter}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'Bad Request', issues: [{ path }] });
  });

  it('names all that is wrong at once', async () => {
    const { body } = await desk.get('/api/events?limit=0&verdict=old');
    expect((body['issues'] as { path: string }[]).map(({ path }) => path).sort()).toEqual([
      'limit',
      'verdict',
    ]);
  });
});

describe('the list of deliveries', () => {
  it('shows each handler’s, by status, handler and event', async () => {
    desk.failing = true;
    const { id } = await desk.receive(charge(1));
    await desk.settle();

    const { rows } = await desk.get(`/api/deliveries?event_id=${id}&order=oldest`);
    expect(rows).toMatchObject([
      {
        handler: 'billing',
        status: 'dead',
        attempts: 1,
        last_error: expect.stringContaining('the ledger is closed'),
        event_id: id,
      },
      { handler: 'charge-status', status: 'succeeded', attempts: 1, last_error: null, due_at: null },
    ]);
    expect((await desk.get('/api/deliveries?status=dead')).rows).toHaveLength(1);
    expect((await desk.get('/api/deliveries?handler=charge-status')).rows).toHaveLength(1);
    expect((await desk.get('/api/deliveries?subject=charge:2')).rows).toEqual([]);
  });

  it('shows one by its id, and 404 for another', async () => {
    await desk.receive(charge(1));
    const [row] = (await desk.get('/api/deliveries')).rows;
    expect(await desk.get(`/api/deliveries/${String(row?.['id'])}`)).toMatchObject({
      status: 200,
      body: row,
    });
    expect(await desk.get('/api/deliveries/d99')).toMatchObject({
      status: 404,
      body: { error: 'Not Found', message: 'There is no delivery d99' },
    });
  });
});

describe('the list of machines', () => {
  it('shows who is known, and which of them did the impossible', async () => {
    await desk.receive(charge(1, 'paid'));
    await desk.receive(charge(2, 'overdue'));
    await desk.settle();

    const { rows } = await desk.get('/api/machines?machine=charge-status');
    expect(rows).toMatchObject([
      { machine: 'charge-status', subject: 'charge:1', revision: 1, anomalies: 0 },
      { machine: 'charge-status', subject: 'charge:2', revision: 1, anomalies: 1 },
    ]);
    expect((await desk.get('/api/machines?anomalous=true')).rows).toMatchObject([{ subject: 'charge:2' }]);
    expect((await desk.get('/api/machines?anomalous=false')).rows).toMatchObject([{ subject: 'charge:1' }]);
  });
});
