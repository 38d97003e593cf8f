import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PortariaError } from '../../src/kernel/errors.ts';
import { fixture } from '../support/webhooks/fixtures.ts';
import { setUpOps, type OpsSetup } from './ops-setup.ts';

let setup: OpsSetup;

beforeEach(async () => {
  setup = await setUpOps();
});
afterEach(() => setup.close());

const charge = (id: number, status = 'pending') => {
  const { type, data } = fixture('charge.updated');
  return { type, data: { ...data, id, status } };
};

describe('the list of events', () => {
  it('shows the newest first, in pages, to the last', async () => {
    for (const id of [1, 2, 3, 4, 5]) await setup.receive(charge(id));

    const first = await setup.get('/api/events?limit=2');
    expect(first.rows.map((row) => row['subject'])).toEqual(['charge:5', 'charge:4']);
    const second = await setup.get(`/api/events?limit=2&cursor=${String(first.body['next'])}`);
    expect(second.rows.map((row) => row['subject'])).toEqual(['charge:3', 'charge:2']);
    const third = await setup.get(`/api/events?limit=2&cursor=${String(second.body['next'])}`);
    expect(third.rows.map((row) => row['subject'])).toEqual(['charge:1']);
    expect(third.body['next']).toBeNull();
  });

  it('has no next page when the page ends with the last row', async () => {
    for (const id of [1, 2]) await setup.receive(charge(id));
    expect((await setup.get('/api/events?limit=2')).body['next']).toBeNull();
  });

  it('shows the oldest first with order=oldest', async () => {
    for (const id of [1, 2]) await setup.receive(charge(id));
    const { rows } = await setup.get('/api/events?order=oldest');
    expect(rows.map((row) => row['subject'])).toEqual(['charge:1', 'charge:2']);
  });

  it('shows rows in snake case, with instants as ISO 8601', async () => {
    const receipt = await setup.receive(charge(1), { messageId: 'msg_1' });
    setup.clock.advance(1000);
    await setup.receive(charge(1), { messageId: 'msg_1' });
    const { rows } = await setup.get('/api/events');
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

  const narrowed = [
    ['kind=company.created', ['company:47']],
    ['kind=company.*', ['company:47']],
    ['kind=company.created&kind=surprise.created', ['company:47', 'surprise:9']],
    ['kind=company.created,surprise.created', ['company:47', 'surprise:9']],
    ['subject=charge:1', ['charge:1', 'charge:1']],
    ['source=other', ['charge:1']],
    ['flag=unrecognized', ['surprise:9']],
    ['verdict=stale', []],
    ['status=dead', ['charge:1']],
    ['since=2026-11-20T13:00:00Z', ['surprise:9']],
    ['until=2026-11-20T13:00:00Z', ['company:47', 'charge:1', 'charge:1']],
    ['since=2026-11-20T10:00:00-03:00', ['surprise:9']],
    ['since=2026-11-21', []],
    ['kind=charge.*&source=other', ['charge:1']],
  ] as const;

  it('is narrowed by each condition', async () => {
    await setup.receive(fixture('company.created'));
    await setup.receive(charge(1), { source: 'other' });
    await setup.settle();
    setup.failing = true;
    await setup.receive(charge(1));
    await setup.settle();
    setup.clock.advance(3_600_000);
    await setup.receive({ type: 'surprise.created', data: { id: 9 } });

    for (const [conditions, subjects] of narrowed) {
      const { rows } = await setup.get(`/api/events?order=oldest&${conditions}`);
      expect(
        rows.map((row) => row['subject']),
        conditions,
      ).toEqual(subjects);
    }
  });

  const refused = [
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
    // Each takes one value.
    ['limit=1&limit=2', 'limit'],
    ['subject=charge:1&subject=charge:2', 'subject'],
    ['source=a&source=b', 'source'],
    ['status=dead&status=dead', 'status'],
  ] as const;

  it('refuses what it cannot read, and names it', async () => {
    for (const [parameter, path] of refused)
      expect(await setup.get(`/api/events?${parameter}`), parameter).toMatchObject({
        status: 400,
        body: { error: 'Bad Request', issues: [{ path }] },
      });
  });

  it('accepts a hundred kinds, and rejects more with the limit', async () => {
    const kinds = (count: number) => Array.from({ length: count }, (_, at) => `kind.${String(at)}`);
    expect((await setup.get(`/api/events?kind=${kinds(100).join(',')}`)).status).toBe(200);
    const each = (count: number) => kinds(count).map((kind) => `kind=${kind}`);
    for (const query of [each(101).join('&'), each(1_000).join('&'), `kind=${kinds(5_000).join(',')}`])
      expect(await setup.get(`/api/events?${query}`)).toMatchObject({
        status: 400,
        body: { error: 'Bad Request', issues: [{ path: 'kind', message: 'At most 100 values' }] },
      });
  });

  it('names a hundred issues at most, and the total', async () => {
    const query = Array.from({ length: 300 }, (_, at) => `p${String(at)}=1`).join('&');
    const { status, body } = await setup.get(`/api/events?${query}`);
    expect(status).toBe(400);
    expect(body['issues']).toHaveLength(100);
    expect(body['message']).toBe('Invalid parameters: the first 100 of 300 issues');
  });

  it('names all issues at once', async () => {
    const { body } = await setup.get('/api/events?limit=0&verdict=old');
    expect((body['issues'] as { path: string }[]).map(({ path }) => path).sort()).toEqual([
      'limit',
      'verdict',
    ]);
  });
});

describe('the list of deliveries', () => {
  it('filters by status, handler and event', async () => {
    setup.failing = true;
    const { id } = await setup.receive(charge(1));
    await setup.settle();

    const { rows } = await setup.get(`/api/deliveries?event_id=${id}&order=oldest`);
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
    expect((await setup.get('/api/deliveries?status=dead')).rows).toHaveLength(1);
    expect((await setup.get('/api/deliveries?handler=charge-status')).rows).toHaveLength(1);
    expect((await setup.get('/api/deliveries?subject=charge:2')).rows).toEqual([]);
    expect((await setup.get('/api/failures')).rows).toHaveLength(1);
    for (const list of ['deliveries', 'failures'])
      expect((await setup.get(`/api/${list}?company=99`)).rows).toEqual([]);
    expect((await setup.get('/api/deliveries?company=Serra')).status).toBe(400);
  });

  it('shows one by its id, and responds 404 for an unknown id', async () => {
    await setup.receive(charge(1));
    const [row] = (await setup.get('/api/deliveries')).rows;
    expect(await setup.get(`/api/deliveries/${String(row?.['id'])}`)).toMatchObject({
      status: 200,
      body: row,
    });
    expect(await setup.get('/api/deliveries/d99')).toMatchObject({
      status: 404,
      body: { error: 'Not Found', message: 'There is no delivery d99' },
    });
  });
});

describe('the list of machines', () => {
  it('shows states, and filters those with anomalies', async () => {
    await setup.receive(charge(1, 'paid'));
    await setup.receive(charge(2, 'overdue'));
    await setup.settle();

    const { rows } = await setup.get('/api/machines?machine=charge-status');
    expect(rows).toMatchObject([
      { machine: 'charge-status', subject: 'charge:1', revision: 1, anomalies: 0 },
      { machine: 'charge-status', subject: 'charge:2', revision: 1, anomalies: 1 },
    ]);
    expect((await setup.get('/api/machines?anomalous=true')).rows).toMatchObject([{ subject: 'charge:2' }]);
    expect((await setup.get('/api/machines?anomalous=false')).rows).toMatchObject([{ subject: 'charge:1' }]);
  });
});

describe('a store that cannot be read', () => {
  it.each([
    ['store-failed', 503, 'The store could not be read; the log says why'],
    ['store-corrupt', 500, 'The store could not be read; the log says why'],
    ['store-read-only', 500, 'The store could not be read; the log says why'],
    ['store-busy', 503, 'The store is busy or cannot be reached; try again'],
    ['store-full', 503, 'The disk is full; make room and try again'],
  ] as const)('is answered without its words: %s', async (code, status, message) => {
    const words = '/srv/data/portaria.db: reading failed (SQLITE_ERROR: near "glob": syntax error)';
    vi.spyOn(setup.store, 'scanEvents').mockRejectedValue(new PortariaError(code, words));

    const answer = await setup.get('/api/events');

    expect([answer.status, answer.body['message']]).toEqual([status, message]);
    expect(JSON.stringify(answer.body)).not.toMatch(/srv|SQLITE|glob/);
    expect(JSON.stringify(setup.logged)).toContain('SQLITE_ERROR');
  });
});

describe('a search of payloads', () => {
  it('finds events by conditions and texts, in pages, and says how far it came', async () => {
    for (const id of [1, 2, 3]) await setup.receive(charge(id, id === 2 ? 'overdue' : 'pending'));
    const where = encodeURIComponent('data.status = pending and data.id < 3');
    const { status, body, rows } = await setup.get(`/api/events?where=${where}&contains=PEND`);
    expect([status, rows.map((row) => row['subject'])]).toEqual([200, ['charge:1']]);
    expect(body).toMatchObject({
      next: null,
      searched: { events: 3, back_to: '2026-11-20T12:00:00.000Z', end: 'whole' },
    });
    const first = await setup.get('/api/events?contains=pending&limit=1');
    expect(first.body).toMatchObject({ searched: { end: 'full' } });
    const second = await setup.get(
      `/api/events?contains=pending&limit=1&cursor=${String(first.body['next'])}`,
    );
    expect([...first.rows, ...second.rows].map((row) => row['subject'])).toEqual(['charge:3', 'charge:1']);
  });

  it('looks at personal data only with unmask=true, which the log reports', async () => {
    await setup.receive({ type: 'odd.kind', data: { id: 1, name: 'Ana' } });
    expect((await setup.get('/api/events?contains=ana')).rows).toEqual([]);
    expect((await setup.get('/api/events?contains=ana&unmask=true')).rows).toHaveLength(1);
    const acts = setup.logged.map(({ fields }) => fields as Readonly<Record<string, unknown>>);
    expect(acts.filter(({ unmasked }) => unmasked === true)).toMatchObject([{ action: 'listEvents' }]);
    expect(JSON.stringify(setup.logged)).not.toContain('ana');
  });

  it.each([
    ['where=status%3Dpaid', 'begin a condition with a field of the payload'],
    ['contains=x&order=oldest', 'need order=newest'],
    [`contains=${'x'.repeat(300)}`, '200 characters'],
  ])('rejects %s', async (query, message) => {
    const { status, body } = await setup.get(`/api/events?${query}`);
    expect([status, String(body['message'])]).toEqual([400, expect.stringContaining(message)]);
  });
});
