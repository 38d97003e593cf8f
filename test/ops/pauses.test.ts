import { afterEach, beforeEach, expect, it } from 'vitest';
import { fixture } from '../support/webhooks/fixtures.ts';
import { setUpOps, type OpsSetup } from './ops-setup.ts';

let setup: OpsSetup;

beforeEach(async () => {
  setup = await setUpOps();
});
afterEach(() => setup.close());

const { type, data } = fixture('charge.updated');
const charge = (id: number, changes: object = {}) => ({ type, data: { ...data, id, ...changes } });

const pause = (scope: object) => setup.post('/api/pauses', { reason: 'the ledger is closed', ...scope });

const pending = async () => (await setup.get('/api/deliveries?status=pending')).rows;

it('pauses a handler, lists the pause, and ends it', async () => {
  const { status, body } = await pause({ handler: 'billing', until: '2026-11-20T13:00:00Z' });
  expect([status, body]).toMatchObject([
    200,
    {
      ...{ id: 'p1', scope: 'handler billing', handler: 'billing', source: null, subject: null },
      ...{ reason: 'the ledger is closed', paused_by: 'loopback', until: '2026-11-20T13:00:00.000Z' },
    },
  ]);
  await setup.receive(charge(1));
  await setup.settle();
  expect(await pending()).toMatchObject([
    { handler: 'billing', waits_for: 'paused (handler billing) by loopback: the ledger is closed' },
  ]);
  expect((await setup.get('/api/pauses')).rows).toMatchObject([{ id: 'p1' }]);
  expect((await setup.get('/api/stats')).body['paused']).toMatchObject([{ id: 'p1' }]);

  expect((await setup.post('/api/pauses/resume', { handler: 'billing' })).rows).toMatchObject([{ id: 'p1' }]);
  await setup.settle();
  expect(await pending()).toEqual([]);
  expect((await setup.get('/api/pauses')).rows).toEqual([]);
});

it('pauses one lane, and a source', async () => {
  await setup.receive(charge(1));
  await setup.receive(charge(2), { source: 'other' });
  await setup.settle();
  await pause({ handler: 'billing', subject: 'charge:1' });
  await pause({ source: 'other' });
  for (const id of [1, 3]) await setup.receive(charge(id, { updated_at: '2026-11-20T12:30:00Z' }));
  await setup.receive(charge(4), { source: 'other' });
  await setup.settle();

  expect((await pending()).map(({ subject, handler }) => [subject, handler]).toSorted()).toEqual([
    ['charge:1', 'billing'],
    ['charge:4', 'billing'],
    ['charge:4', 'charge-status'],
  ]);
  const metrics = await (await setup.request('/metrics')).text();
  expect(metrics).toContain('portaria_paused{type="lane",handler="billing",source=""} 1');
  expect(metrics).toContain('portaria_paused{type="source",handler="",source="other"} 1');
});

it('lists pauses page by page', async () => {
  for (const id of [1, 2, 3]) await setup.receive(charge(id));
  await setup.settle();
  for (const id of [1, 2, 3]) await pause({ handler: 'billing', subject: `charge:${String(id)}` });

  const first = await setup.get('/api/pauses?limit=2');
  const last = await setup.get(`/api/pauses?limit=2&cursor=${String(first.body['next'])}`);

  expect([first, last].map(({ rows }) => rows.map(({ id }) => id))).toEqual([['p1', 'p2'], ['p3']]);
  expect(last.body['next']).toBeNull();
});

it('says what is wrong with a request', async () => {
  expect(await setup.post('/api/pauses', { reason: 'x', handler: 'biling' })).toMatchObject({
    status: 404,
    body: { message: expect.stringContaining('There is no handler biling') as string },
  });
  expect(await setup.post('/api/pauses/resume', {})).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('Send either ids or a scope') as string },
  });
});
