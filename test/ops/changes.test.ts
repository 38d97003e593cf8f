/** Retries, releases, discards and rebuilds by the operators' API. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixture } from '../support/webhooks/fixtures.ts';
import { setUpOps, type OpsSetup } from './ops-setup.ts';

let setup: OpsSetup;

beforeEach(async () => {
  setup = await setUpOps();
});
afterEach(() => setup.close());

const { type, data } = fixture('charge.updated');
const charge = (id: number, changes: object = {}) => ({ type, data: { ...data, id, ...changes } });

describe('retrying deliveries', () => {
  beforeEach(async () => {
    setup.failing = true;
    for (const id of [1, 2]) await setup.receive(charge(id));
    await setup.settle();
    setup.failing = false;
  });

  const dead = async () =>
    (await setup.get('/api/deliveries?status=dead')).rows.map((row) => String(row['id']));

  it('runs dead deliveries again by id', async () => {
    const [second = '', first = ''] = await dead();
    const { status, body } = await setup.post('/api/deliveries/retry', { ids: [first] });
    expect([status, body]).toEqual([200, { retried: [first], left_alone: [] }]);
    await setup.settle();
    expect(await dead()).toEqual([second]);
    expect((await setup.get(`/api/deliveries/${first}`)).body).toMatchObject({
      status: 'succeeded',
      attempts: 1,
    });
  });

  it('runs all that match the conditions', async () => {
    const { body } = await setup.post('/api/deliveries/retry', { handler: 'billing', subject: 'charge:2' });
    expect(body['retried']).toHaveLength(1);
    await setup.settle();
    expect((await setup.get('/api/deliveries?status=dead')).rows).toMatchObject([{ subject: 'charge:1' }]);
  });

  it.each([{}, { dry_run: true }, { dry_run: false }])('rejects %j, which selects nothing', async (body) => {
    expect(await setup.post('/api/deliveries/retry', body)).toMatchObject({
      status: 400,
      body: { error: 'Bad Request', message: expect.stringContaining('Select deliveries') as string },
    });
    expect(await dead()).toHaveLength(2);
  });

  it.each([
    [{ ids: ['x'] }, 'ids.0'],
    [{ id: ['d1'] }, 'id'],
    [{ subject: 'charge' }, 'subject'],
    [{ dry_run: 'yes' }, 'dry_run'],
    [{ status: 'succeeded' }, 'status'],
  ])('refuses %j', async (body, path) => {
    expect(await setup.post('/api/deliveries/retry', body)).toMatchObject({
      status: 400,
      body: { issues: [{ path }] },
    });
    expect(await dead()).toHaveLength(2);
  });
});

describe('releasing from quarantine', () => {
  it('releases a conflict by its content, and delivers it', async () => {
    await setup.receive(charge(1, { status: 'pending' }), { messageId: 'msg_1' });
    await setup.receive(charge(1, { status: 'paid' }), { messageId: 'msg_1' });
    const [held] = (await setup.get('/api/quarantine?reason=conflict')).rows;
    const { body } = await setup.post('/api/quarantine/release', { ids: [held?.['id']] });
    const [release] = body['data'] as { outcome: string; event_id: string }[];
    expect(release).toMatchObject({ outcome: 'released', kind: type });
    await setup.settle();

    expect((await setup.get(`/api/events/${release?.event_id ?? ''}`)).body).toMatchObject({
      flags: ['unverified', 'released'],
      message_id: null,
      received_at: '2026-11-20T12:00:00.000Z',
      deliveries: [
        { handler: 'billing', status: 'succeeded' },
        { handler: 'charge-status', status: 'succeeded' },
      ],
    });
    expect((await setup.get('/api/quarantine?status=held')).rows).toEqual([]);
    expect((await setup.get('/api/quarantine?status=released')).rows).toMatchObject([
      { event_id: release?.event_id },
    ]);
  });

  it('reports an entry that is already released', async () => {
    await setup.receive(charge(1, { status: 'pending' }), { messageId: 'msg_1' });
    await setup.receive(charge(1, { status: 'paid' }), { messageId: 'msg_1' });
    const first = await setup.post('/api/quarantine/release', { ids: ['q1'] });
    const again = await setup.post('/api/quarantine/release', { ids: ['q1'] });
    expect(again.rows).toMatchObject([
      { id: 'q1', outcome: 'already-released', event_id: first.rows[0]?.['event_id'] },
    ]);
  });

  it('releases nothing when an id is unknown', async () => {
    await setup.receive(charge(1, { status: 'pending' }), { messageId: 'msg_1' });
    await setup.receive(charge(1, { status: 'paid' }), { messageId: 'msg_1' });
    expect(await setup.post('/api/quarantine/release', { ids: ['q1', 'q7'] })).toMatchObject({
      status: 404,
      body: { message: 'Not in quarantine: q7' },
    });
    expect((await setup.get('/api/quarantine?status=held')).rows).toHaveLength(1);
  });

  it('changes nothing in a dry run', async () => {
    await setup.receive(charge(1, { status: 'pending' }), { messageId: 'msg_1' });
    await setup.receive(charge(1, { status: 'paid' }), { messageId: 'msg_1' });
    expect((await setup.post('/api/quarantine/release', { dry_run: true })).rows).toMatchObject([
      { id: 'q1', outcome: 'would-release' },
    ]);
    expect((await setup.get('/api/quarantine?status=held')).rows).toHaveLength(1);
  });
});

describe('rebuilding machines', () => {
  beforeEach(async () => {
    for (const id of [1, 2]) await setup.receive(charge(id, { status: 'overdue' }));
    await setup.settle();
  });

  it('folds all subjects again and counts them', async () => {
    const { status, body } = await setup.post('/api/machines/rebuild', {});
    expect([status, body]).toEqual([
      200,
      { counts: { changed: 0, unchanged: 2, kept: 0, failed: 0 }, data: [] },
    ]);
    expect((await setup.get('/api/machines/charge-status/charge:1')).body).toMatchObject({
      revision: 2,
      state: { status: 'overdue' },
      anomalies: [{ message: 'overdue is not expected of CNPJ <cnpj>' }],
    });
  });

  it('corrects a state that differs from its events', async () => {
    const subject = { family: 'charge', id: '1' };
    const known = await setup.store.machineState('charge-status', 'default', subject);
    await setup.store.commitMachine(
      'default',
      subject,
      {
        machine: 'charge-status',
        state: { status: 'nonsense' },
        version: null,
        lastEventId: known?.lastEventId ?? '',
        revision: known?.revision ?? 0,
        anomalies: [],
        refolded: true,
        effects: [],
      },
      setup.clock.now(),
    );
    const { body } = await setup.post('/api/machines/rebuild', { subject: 'charge:1' });
    expect(body).toMatchObject({
      counts: { changed: 1, unchanged: 0 },
      data: [{ machine: 'charge-status', subject: 'charge:1', outcome: 'changed', events: 1, anomalies: 1 }],
    });
    expect((await setup.get('/api/machines/charge-status/charge:1')).body['state']).toMatchObject({
      status: 'overdue',
    });
  });

  it('reports a dry run without changes', async () => {
    const { body } = await setup.post('/api/machines/rebuild', { machine: 'charge-status', dry_run: true });
    expect(body['counts']).toMatchObject({ changed: 0, unchanged: 2 });
    expect((await setup.get('/api/machines/charge-status/charge:1')).body['revision']).toBe(1);
  });

  it('rejects an unknown machine with a suggestion', async () => {
    expect(await setup.post('/api/machines/rebuild', { machine: 'charge-state' })).toMatchObject({
      status: 404,
      body: { message: 'There is no machine charge-state; did you mean charge-status?' },
    });
  });

  it('rejects a subject of several sources without a source', async () => {
    await setup.receive(charge(1), { source: 'other' });
    await setup.settle();
    expect(await setup.get('/api/machines/charge-status/charge:1')).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'source' }] },
    });
    expect((await setup.get('/api/machines/charge-status/charge:1?source=other')).status).toBe(200);
    expect((await setup.get('/api/machines/charge-status/charge:3')).status).toBe(404);
  });
});

describe('discarding from quarantine', () => {
  beforeEach(async () => {
    for (const amount of ['a lot', 'more']) await setup.receive(charge(1, { amount }));
  });

  const held = async () => (await setup.get('/api/quarantine?status=held')).rows.map(({ id }) => id);

  it('removes entries, and the audit has the reason and the count', async () => {
    const { status, body } = await setup.post('/api/quarantine/discard', {
      ids: ['q1', 'q9'],
      reason: 'the sender is mended',
    });
    expect([status, body]).toEqual([200, { discarded: ['q1'], left_alone: [{ id: 'q9', status: null }] }]);
    expect(await held()).toEqual(['q2']);
    expect((await setup.get('/api/audit?action=discardQuarantine')).rows).toMatchObject([
      { subject: { ids: 'q1, q9', discarded: '1' }, reason: 'the sender is mended', result: 'done' },
    ]);
  });

  it('selects by conditions, as a release does', async () => {
    const request = { kind: type, quarantined_for: 'malformed', reason: 'mended' };
    expect((await setup.post('/api/quarantine/discard', request)).body).toMatchObject({ discarded: [] });
    const { body } = await setup.post('/api/quarantine/discard', { ...request, quarantined_for: 'invalid' });
    expect(body).toMatchObject({ discarded: ['q1', 'q2'] });
    expect(await held()).toEqual([]);
  });

  it('is a dry run or has a reason', async () => {
    const dry = await setup.post('/api/quarantine/discard', { ids: ['q1'], dry_run: true });
    expect(dry.body).toMatchObject({ discarded: ['q1'] });
    const { status, body } = await setup.post('/api/quarantine/discard', { ids: ['q1'] });
    expect([status, body['message']]).toEqual([400, expect.stringContaining('reason is empty')]);
    expect(await held()).toHaveLength(2);
  });
});
