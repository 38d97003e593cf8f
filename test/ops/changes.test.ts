import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { openOpsDesk, type OpsDesk } from './ops-desk.ts';

let desk: OpsDesk;

beforeEach(async () => {
  desk = await openOpsDesk();
});
afterEach(() => desk.close());

const { type, data } = fixture('charge.updated');
const charge = (id: number, changes: object = {}) => ({ type, data: { ...data, id, ...changes } });

describe('retrying deliveries', () => {
  beforeEach(async () => {
    desk.failing = true;
    for (const id of [1, 2]) await desk.receive(charge(id));
    await desk.settle();
    desk.failing = false;
  });

  const dead = async () =>
    (await desk.get('/api/deliveries?status=dead')).rows.map((row) => String(row['id']));

  it('runs dead ones again, named one by one', async () => {
    const [second = '', first = ''] = await dead();
    const { status, body } = await desk.post('/api/deliveries/retry', { ids: [first] });
    expect([status, body]).toEqual([200, { retried: [first], left_alone: [] }]);
    await desk.settle();
    expect(await dead()).toEqual([second]);
    expect((await desk.get(`/api/deliveries/${first}`)).body).toMatchObject({
      status: 'succeeded',
      attempts: 1,
    });
  });

  it('runs all that fit the conditions', async () => {
    const { body } = await desk.post('/api/deliveries/retry', { handler: 'billing', subject: 'charge:2' });
    expect(body['retried']).toHaveLength(1);
    await desk.settle();
    expect((await desk.get('/api/deliveries?status=dead')).rows).toMatchObject([{ subject: 'charge:1' }]);
  });

  it('leaves alone, and names, what is not dead or not there', async () => {
    const [row] = (await desk.get('/api/deliveries?status=succeeded')).rows;
    const { body } = await desk.post('/api/deliveries/retry', { ids: [row?.['id'], 'd999'] });
    expect(body).toEqual({
      retried: [],
      left_alone: [
        { id: row?.['id'], status: 'succeeded' },
        { id: 'd999', status: null },
      ],
    });
  });

  it('changes nothing in a dry run', async () => {
    const before = await dead();
    const { body } = await desk.post('/api/deliveries/retry', { status: 'dead', dry_run: true });
    expect(body['retried']).toEqual([...before].reverse());
    await desk.settle();
    expect(await dead()).toEqual(before);
  });

  it.each([{}, { dry_run: true }, { dry_run: false }])('refuses %j: nothing says which', async (body) => {
    expect(await desk.post('/api/deliveries/retry', body)).toMatchObject({
      status: 400,
      body: { error: 'Bad Request', message: expect.stringContaining('Which ones?') as string },
    });
    expect(await dead()).toHaveLength(2);
  });

  it('runs all dead ones when asked to', async () => {
    const { body } = await desk.post('/api/deliveries/retry', { status: 'dead' });
    expect(body['retried']).toHaveLength(2);
  });

  it.each([
    [{ ids: ['x'] }, 'ids.0'],
    [{ id: ['d1'] }, 'id'],
    [{ subject: 'charge' }, 'subject'],
    [{ dry_run: 'yes' }, 'dry_run'],
    [{ status: 'succeeded' }, 'status'],
  ])('refuses %j', async (body, path) => {
    expect(await desk.post('/api/deliveries/retry', body)).toMatchObject({
      status: 400,
      body: { issues: [{ path }] },
    });
    expect(await dead()).toHaveLength(2);
  });
});

describe('releasing from quarantine', () => {
  it('says of each entry that still does not fit why', async () => {
    const { id } = await desk.receive(charge(1, { amount: 'a lot' }));
    const { body } = await desk.post('/api/quarantine/release', {});
    expect(body['data']).toMatchObject([
      { id, outcome: 'held', event_id: null, kind: type, issues: [{ path: 'data.amount' }] },
    ]);
    expect((await desk.get(`/api/quarantine/${id}`)).body['status']).toBe('held');
  });

  it('lets a conflict through by its content, and hands it to its handlers', async () => {
    await desk.receive(charge(1, { status: 'pending' }), { messageId: 'msg_1' });
    await desk.receive(charge(1, { status: 'paid' }), { messageId: 'msg_1' });
    const [held] = (await desk.get('/api/quarantine?reason=conflict')).rows;
    const { body } = await desk.post('/api/quarantine/release', { ids: [held?.['id']] });
    const [release] = body['data'] as { outcome: string; event_id: string }[];
    expect(release).toMatchObject({ outcome: 'released', kind: type });
    await desk.settle();

    expect((await desk.get(`/api/events/${release?.event_id ?? ''}`)).body).toMatchObject({
      flags: ['released'],
      message_id: null,
      received_at: '2026-11-20T12:00:00.000Z',
      deliveries: [
        { handler: 'billing', status: 'succeeded' },
        { handler: 'charge-status', status: 'succeeded' },
      ],
    });
    expect((await desk.get('/api/quarantine?status=held')).rows).toEqual([]);
    expect((await desk.get('/api/quarantine?status=released')).rows).toMatchObject([
      { event_id: release?.event_id },
    ]);
  });

  it('says so when asked twice', async () => {
    await desk.receive(charge(1, { status: 'pending' }), { messageId: 'msg_1' });
    await desk.receive(charge(1, { status: 'paid' }), { messageId: 'msg_1' });
    const first = await desk.post('/api/quarantine/release', { ids: ['q1'] });
    const again = await desk.post('/api/quarantine/release', { ids: ['q1'] });
    expect(again.rows).toMatchObject([
      { id: 'q1', outcome: 'already-released', event_id: first.rows[0]?.['event_id'] },
    ]);
  });

  it('releases nothing when one of the names is unknown', async () => {
    await desk.receive(charge(1, { status: 'pending' }), { messageId: 'msg_1' });
    await desk.receive(charge(1, { status: 'paid' }), { messageId: 'msg_1' });
    expect(await desk.post('/api/quarantine/release', { ids: ['q1', 'q7'] })).toMatchObject({
      status: 404,
      body: { message: 'Not in quarantine: q7' },
    });
    expect((await desk.get('/api/quarantine?status=held')).rows).toHaveLength(1);
  });

  it('changes nothing in a dry run', async () => {
    await desk.receive(charge(1, { status: 'pending' }), { messageId: 'msg_1' });
    await desk.receive(charge(1, { status: 'paid' }), { messageId: 'msg_1' });
    expect((await desk.post('/api/quarantine/release', { dry_run: true })).rows).toMatchObject([
      { id: 'q1', outcome: 'would-release' },
    ]);
    expect((await desk.get('/api/quarantine?status=held')).rows).toHaveLength(1);
  });
});

describe('rebuilding machines', () => {
  beforeEach(async () => {
    for (const id of [1, 2]) await desk.receive(charge(id, { status: 'overdue' }));
    await desk.settle();
  });

  it('folds all subjects anew and counts them', async () => {
    const { status, body } = await desk.post('/api/machines/rebuild', {});
    expect([status, body]).toEqual([
      200,
      { counts: { changed: 0, unchanged: 2, failed: 0, would_rebuild: 0 }, data: [] },
    ]);
    expect((await desk.get('/api/machines/charge-status/charge:1')).body).toMatchObject({
      revision: 2,
      state: { status: 'overdue' },
      anomalies: [{ message: 'overdue is not expected' }],
    });
  });

  it('mends a state that is not what its events make it', async () => {
    const subject = { family: 'charge', id: '1' };
    const known = await desk.store.machineState('charge-status', 'default', subject);
    await desk.store.commitMachine(
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
      desk.clock.now(),
    );
    const { body } = await desk.post('/api/machines/rebuild', { subject: 'charge:1' });
    expect(body).toMatchObject({
      counts: { changed: 1, unchanged: 0 },
      data: [{ machine: 'charge-status', subject: 'charge:1', outcome: 'changed', events: 1, anomalies: 1 }],
    });
    expect((await desk.get('/api/machines/charge-status/charge:1')).body['state']).toMatchObject({
      status: 'overdue',
    });
  });

  it('says what it would do in a dry run', async () => {
    const { body } = await desk.post('/api/machines/rebuild', { machine: 'charge-status', dry_run: true });
    expect(body['counts']).toMatchObject({ would_rebuild: 2 });
    expect((await desk.get('/api/machines/charge-status/charge:1')).body['revision']).toBe(1);
  });

  it('knows no other machine, and says which was meant', async () => {
    expect(await desk.post('/api/machines/rebuild', { machine: 'charge-state' })).toMatchObject({
      status: 404,
      body: { message: 'There is no machine charge-state; did you mean charge-status?' },
    });
  });

  it('asks for the source when several have the subject', async () => {
    await desk.receive(charge(1), { source: 'other' });
    await desk.settle();
    expect(await desk.get('/api/machines/charge-status/charge:1')).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'source' }] },
    });
    expect((await desk.get('/api/machines/charge-status/charge:1?source=other')).status).toBe(200);
    expect((await desk.get('/api/machines/charge-status/charge:3')).status).toBe(404);
  });
});
