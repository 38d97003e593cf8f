import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { webhook } from '../console/kit/console-browser.ts';
import { createReplay } from '../support/replay-job.ts';
import { setUpOps, type OpsSetup } from './ops-setup.ts';

let setup: OpsSetup;

beforeEach(async () => {
  setup = await setUpOps();
  setup.failing = 'no order 4711';
  for (let id = 1; id <= 4; id++)
    await setup.receive(
      webhook('charge.updated', { id, status: 'pending', updated_at: '2026-11-20T10:00:00Z' }),
    );
  await setup.settle();
});

afterEach(() => setup.close());

const plan = async (request: object) => (await setup.post('/api/plans', request)).body;

describe('the operators’ API', () => {
  it('lists failures by kind of error, and the deliveries of a kind', async () => {
    const { rows } = await setup.get('/api/failures?handler=billing');
    expect(rows).toMatchObject([{ kind_of_error: 'Error: no order …', dead: 4, failing: 0 }]);
    const error = String(rows[0]?.['error']);
    expect((await setup.get(`/api/deliveries?error=${error}&status=dead`)).rows).toHaveLength(4);
    expect((await setup.get('/api/failures?handler=nobody')).rows).toEqual([]);
  });

  it('lists what is wrong with held entries, without values of the sender', async () => {
    await setup.receive({ type: 'charge.updated', data: { id: 'Ana Maria 529.982.247-25' } });
    const { rows } = await setup.get('/api/quarantine-problems');
    expect(rows).toMatchObject([{ kind: 'charge.updated', reason: 'invalid', entries: 1 }]);
    expect(String(rows[0]?.['message'])).not.toContain('529');
    const problem = String(rows[0]?.['problem']);
    expect((await setup.get(`/api/quarantine?problem=${problem}`)).rows).toHaveLength(1);
  });

  it('shows the host alone of the URL to which a replay sends', async () => {
    const { store, clock } = setup;
    const { id } = await createReplay(store, { target: 'http://127.0.0.1/in?token=secret' }, clock.now());
    expect((await setup.get(`/api/jobs/${id}`)).body).toMatchObject({ selection: { to: '127.0.0.1' } });
    for (const path of [`/api/jobs/${id}`, '/api/jobs', `/jobs/${id}`, '/jobs'])
      expect(await (await setup.request(path)).text(), path).not.toContain('secret');
  });

  it('plans a retry of what failed before the clock was set back, and of nothing that fails later', async () => {
    setup.clock.jump(-3_600_000);
    const planned = await plan({ action: 'retry', handler: 'billing' });
    expect(planned).toMatchObject({ items: 4 });

    setup.clock.jump(-1_000);
    await setup.receive(webhook('charge.updated', { id: 5, status: 'pending' }));
    await setup.settle();

    const started = await setup.post('/api/jobs', { plan: planned['plan'] });
    expect(started).toMatchObject({ body: { job: null, more: 1, plan: { items: 5 } } });
  });

  it('plans, starts, shows and resumes a retry', async () => {
    const planned = await plan({ action: 'retry', handler: 'billing' });
    expect(planned).toMatchObject({
      action: 'retry',
      items: 4,
      handlers: [{ handler: 'billing', lanes: 4 }],
    });
    const started = await setup.post('/api/jobs', { plan: planned['plan'], stop_at: 0.1 });
    expect(started).toMatchObject({
      status: 200,
      body: { gone: 0, more: 0, job: { id: 'j1', state: 'running' } },
    });
    await setup.runJobs();
    expect((await setup.get('/api/jobs/j1')).body).toMatchObject({
      state: 'stopped',
      message: '1 of 1 failed',
      requested_by: 'loopback',
      selection: { handler: 'billing', status: 'dead' },
    });
    setup.failing = false;
    expect(await setup.post('/api/jobs/j1/resume', {})).toMatchObject({ body: { state: 'running' } });
    await setup.runJobs();
    expect((await setup.get('/api/jobs')).rows).toMatchObject([
      { id: 'j1', state: 'finished', succeeded: 3 },
    ]);
    expect(await setup.post('/api/jobs/j1/cancel', {})).toMatchObject({
      status: 400,
      body: { message: 'job j1 is finished: nothing was changed' },
    });
  });

  it('starts one job of a plan that is sent twice at once', async () => {
    setup.failing = false;
    const { plan: token } = await plan({ action: 'replay', handlers: ['billing'] });
    const start = async () => (await setup.post('/api/jobs', { plan: token })).body['job'];
    const jobs = await Promise.all([start(), start()]);
    expect(jobs).toMatchObject([{ id: 'j1' }, { id: 'j1' }]);
    await setup.runJobs();
    expect((await setup.get('/api/jobs')).rows).toMatchObject([
      { id: 'j1', state: 'finished', selection: { handlers: 'billing' }, planned: 4, succeeded: 4 },
    ]);
    expect((await setup.get('/api/deliveries?replay=j1')).rows).toHaveLength(4);
  });

  it('returns the plan of now when more matches', async () => {
    const planned = await plan({ action: 'retry' });
    setup.clock.advance(10);
    await setup.receive(webhook('charge.updated', { id: 9, updated_at: '2026-11-20T10:00:00Z' }));
    await setup.settle();
    const { body } = await setup.post('/api/jobs', { plan: planned['plan'] });
    expect(body).toMatchObject({ job: null, more: 1, plan: { items: 5 } });
  });

  it.each([
    [{ action: 'retry', status: 'pending' }, 'only dead deliveries can'],
    [{ action: 'discard', reason: 'old', status: 'running' }, 'only pending and dead deliveries can'],
    [{ action: 'replay' }, 'handlers is empty'],
    [{ action: 'replay', handlers: ['x'] }, 'there is no handler x; the handlers are billing, charge-status'],
  ])('rejects %j, and says what to send', async (request, message) => {
    const { status, body } = await setup.post('/api/plans', request);
    expect([status, body['message']]).toEqual([400, expect.stringContaining(message)]);
  });

  it('rejects a plan that is altered, and a job that does not exist', async () => {
    expect(await setup.post('/api/jobs', { plan: 'x.y' })).toMatchObject({ status: 400 });
    expect(await setup.get('/api/jobs/j9')).toMatchObject({ status: 404 });
    expect(await setup.post('/api/jobs/j9/cancel', {})).toMatchObject({ status: 404 });
  });

  it('reports who planned, started, cancelled and resumed', async () => {
    const planned = await plan({ action: 'retry' });
    await setup.post('/api/jobs', { plan: planned['plan'] });
    await setup.post('/api/jobs/j1/cancel', {});
    await setup.post('/api/jobs/j1/resume', {});
    const actions = setup.logged.flatMap(({ fields }) => ('action' in fields ? [fields.action] : []));
    expect(actions).toEqual(['makePlan', 'startPlan', 'cancelJob', 'resumeJob']);
  });
});

describe('what later events have overtaken', () => {
  const charge = (status: string) =>
    webhook('charge.updated', { id: 1, status, updated_at: '2026-11-20T10:00:00Z' });

  beforeEach(async () => {
    setup.failing = false;
    await setup.receive(charge('paid'));
    await setup.settle();
  });

  it('is left out of a plan, which says how many and shows some, and is counted by its job', async () => {
    const planned = await plan({ action: 'retry' });
    expect(planned).toMatchObject({
      items: 3,
      handlers: [{ handler: 'billing', items: 3 }],
      overtaken: { count: 1, shown: [{ id: 'd1', handler: 'billing' }], included: false },
    });
    await setup.post('/api/jobs', { plan: planned['plan'] });
    await setup.runJobs();
    expect((await setup.get('/api/jobs/j1')).body).toMatchObject({
      ...{ state: 'finished', planned: 4, acted: 3, left_alone: 1, succeeded: 3 },
    });
    expect((await setup.get('/api/deliveries?status=dead')).rows).toMatchObject([{ id: 'd1' }]);
  });

  it('runs when the plan includes it', async () => {
    const planned = await plan({ action: 'retry', include_overtaken: true });
    expect(planned).toMatchObject({ items: 4, overtaken: { count: 0, included: true } });
    await setup.post('/api/jobs', { plan: planned['plan'] });
    await setup.runJobs();
    expect((await setup.get('/api/jobs/j1')).body).toMatchObject({ acted: 4, left_alone: 0 });
  });

  it('is left alone by a retry at once, unless it is included', async () => {
    const [, , , , later] = (await setup.get('/api/events?order=oldest')).rows;
    const left = [{ id: 'd1', status: 'dead', overtaken_by: later?.['id'] }];
    const body = { retried: [], left_alone: left };
    for (const dry_run of [true, false])
      expect((await setup.post('/api/deliveries/retry', { ids: ['d1'], dry_run })).body).toEqual(body);
    const included = await setup.post('/api/deliveries/retry', { ids: ['d1'], include_overtaken: true });
    expect(included.body).toEqual({ retried: ['d1'], left_alone: [] });
  });

  it('is left out of a replay, unless the later event is replayed after it', async () => {
    const [first] = (await setup.get('/api/events?order=oldest')).rows;
    const replay = { action: 'replay', handlers: ['billing', 'charge-status'] };
    const alone = await plan({ ...replay, ids: [first?.['id']] });
    expect(alone).toMatchObject({
      overtaken: { count: 1, shown: [{ id: first?.['id'], handler: 'billing', by: null }] },
      handlers: [
        { handler: 'billing', items: 0 },
        { handler: 'charge-status', items: 1 },
      ],
    });
    expect(await plan({ ...replay, ids: [first?.['id']], include_overtaken: true })).toMatchObject({
      overtaken: { count: 0, included: true },
      items: 2,
    });
    expect(await plan({ ...replay, subject: 'charge:1' })).toMatchObject({
      overtaken: { count: 0 },
      items: 4,
    });
  });

  it('is stored as skipped when it is released', async () => {
    await setup.receive(charge('cancelled'), { messageId: 'msg_1' });
    await setup.receive(charge('refunded'), { messageId: 'msg_1' });
    setup.clock.advance(1_000);
    const { id: later } = await setup.receive(charge('overdue'));
    await setup.settle();
    const overtaken = { count: 1, shown: [{ id: 'q1', handler: 'billing', by: later }], included: false };
    expect(await plan({ action: 'release' })).toMatchObject({ items: 1, overtaken });
    expect(await plan({ action: 'release', include_overtaken: true })).toMatchObject({
      overtaken: { count: 0, run: 1, shown: [{ id: 'q1' }], included: true },
    });
    const { rows } = await setup.post('/api/quarantine/release', { ids: ['q1'] });
    expect(rows).toMatchObject([{ outcome: 'released', overtaken: [{ handler: 'billing', by: later }] }]);
    const { body } = await setup.get(`/api/events/${String(rows[0]?.['event_id'])}`);
    expect(body['deliveries']).toMatchObject([
      { handler: 'billing', status: 'skipped', last_error: `overtaken by event ${later}` },
      { handler: 'charge-status' },
    ]);
  });
});
