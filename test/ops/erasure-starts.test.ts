/** Erasures at the operators' API that cannot start, end early, or run elsewhere. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isAuthentic, type Receipt } from '../../src/privacy/receipt.ts';
import { PortariaError } from '../../src/kernel/errors.ts';
import { webhook } from '../console/kit/console-browser.ts';
import { CPF, planErasure, receiveIndication, tokenOf } from './erasing-setup.ts';
import { setUpOps, type OpsSetup } from './ops-setup.ts';

let setup: OpsSetup;

beforeEach(async () => {
  setup = await setUpOps();
});
afterEach(() => setup.close());

const indication = (id: number) => receiveIndication(setup, id);
const planned = (...identifiers: string[]) => planErasure(setup, identifiers);
const entries = async () => setup.store.audit({}, { order: 'oldest', limit: 100 });

it('of a held person is planned with the hold, and does not start', async () => {
  await setup.receive(webhook('user.login.succeeded', { id: 77 }));
  await setup.post('/api/holds', { subject: 'user:77', reason: 'case 12' });
  const run = await planned('user:77');
  expect(run['plan']).toMatchObject({ holds: [{ subject: 'user:77', reason: 'case 12' }, {}] });
  const request = { plan: tokenOf(run), identifiers: ['user:77'], reason: 'request 17' };
  expect(await setup.post('/api/erasures', request)).toMatchObject({
    status: 400,
    body: {
      message: 'The person is under a legal hold, and nothing was erased',
      issues: [
        { path: 'user:77', message: 'case 12; portaria privacy hold remove user:77 ends the hold' },
        { path: 'user-login:77' },
      ],
    },
  });
  expect(await setup.store.erasures()).toEqual([]);
  expect((await entries()).map(({ action, result }) => [action, result])).toContainEqual([
    'startErasure',
    'failed',
  ]);
  await setup.post('/api/holds/remove', { subject: 'user:77', reason: 'case closed' });
  expect((await setup.post('/api/erasures', request)).body).toMatchObject({ state: 'finished' });
});

it('of a person who is held under a name that only the search found does not start', async () => {
  await setup.receive(webhook('user.login.started', { id: 77, uid: CPF, connected: false }));
  const run = await planned(CPF);
  await setup.post('/api/holds', { subject: 'user:77', reason: 'case 12' });
  const request = { plan: tokenOf(run), identifiers: [CPF], reason: 'request 17' };
  expect((await setup.post('/api/erasures', request)).status).toBe(400);
  expect((await setup.get(`/api/erasures/plans/${String(run['id'])}`)).body).toMatchObject({
    state: 'planned',
  });
  expect((await entries()).filter(({ action }) => action === 'erasePerson')).toEqual([]);
});

it('that another process runs is shown as running there, and as unfinished once it has ended', async () => {
  const id = await setup.store.beginErasure({ requestedBy: 'rui', reason: 'request 16', identifiers: [] });
  const shown = async () => (await setup.get('/api/erasures')).rows;
  await setup.store.eraseAlone(async ({ process: own, since }) => {
    expect(await shown()).toMatchObject([{ state: 'unfinished', running_in: null }]);
    await setup.store.beginErasureRun(id, { identifiers: [], process: own, startedAt: since });
    const running = {
      state: 'erasing',
      running_in: own,
      running_since: '2026-11-20T12:00:00.000Z',
      runs: [{ started_at: '2026-11-20T12:00:00.000Z', process: own, erased_rows: {} }],
    };
    expect(await shown()).toMatchObject([running]);
    expect((await setup.get('/api/erasures/x1')).body).toMatchObject(running);
  });
  expect(await shown()).toMatchObject([{ state: 'unfinished', running_in: null, running_since: null }]);
  setup.clock.advance(1_000);
  await setup.store.eraseAlone(async () => {
    expect(await shown(), 'something else is erased').toMatchObject([{ state: 'unfinished' }]);
  });
});

it.each([
  ['its store fails', (cause: Error) => Promise.reject(cause)],
  ['it loses its lock', async (cause: Error, lost: AbortController) => lost.abort(cause)],
])('that was interrupted because %s is finished with a receipt of all its runs', async (_why, interrupt) => {
  await setup.close();
  let lost = new AbortController();
  let isInterrupted = true;
  setup = await setUpOps({
    wrapStore: (store) =>
      Object.assign(Object.create(store) as typeof store, {
        eraseAlone: (work: Parameters<typeof store.eraseAlone>[0]) =>
          store.eraseAlone((turn) => work({ ...turn, signal: lost.signal })),
        eraseContents: async (...page: Parameters<typeof store.eraseContents>) => {
          const outcomes = await store.eraseContents(...page);
          if (isInterrupted) await interrupt(new PortariaError('store-busy', 'the database is gone'), lost);
          return outcomes;
        },
      }),
  });
  await setup.receive(webhook('user.login.started', { id: 77, uid: CPF, connected: false }));
  await Promise.all(Array.from({ length: 150 }, (_, at) => indication(at + 1)));
  const start = async () => {
    const request = { plan: tokenOf(await planned(CPF)), identifiers: [CPF], reason: 'request 17' };
    return (await setup.post('/api/erasures', request)).body;
  };
  expect(await start()).toMatchObject({ state: 'failed', erasure: 'x1', problem: 'the database is gone' });
  expect((await setup.get('/api/erasures')).rows).toMatchObject([{ id: 'x1', state: 'unfinished' }]);
  isInterrupted = false;
  lost = new AbortController();
  setup.clock.advance(60_000);
  // Another identifier of the person became known since.
  await setup.receive(webhook('user.login.started', { id: 78, uid: CPF, connected: false }));
  expect(await start()).toMatchObject({ state: 'finished', erasure: 'x1' });

  const { body } = await setup.get('/api/erasures/x1');
  const runs = [
    { started_at: '2026-11-20T12:00:00.000Z', erased_rows: { event: 100 } },
    { started_at: '2026-11-20T12:01:00.000Z', erased_rows: { event: 52 } },
  ];
  expect(body).toMatchObject({ runs, receipt: { runs, erased_rows: { event: 152, delivery: 0 } } });
  expect(isAuthentic(body['receipt'] as Receipt)).toBe(true);
  expect(await setup.store.erasures()).toHaveLength(1);
});

it.each([
  ['before the first page of rows is erased', 0, 1],
  ['between two pages of rows', 1, 105],
])('ends when the person is held %s, says so, and goes on after the hold', async (_when, pages, events) => {
  await setup.close();
  let erasures = 0;
  setup = await setUpOps({
    wrapStore: (store) =>
      Object.assign(Object.create(store) as typeof store, {
        eraseContents: async (...page: Parameters<typeof store.eraseContents>) => {
          erasures += 1;
          if (erasures === pages + 1)
            await setup.post('/api/holds', { subject: 'user:77', reason: 'case 12' });
          return store.eraseContents(...page);
        },
      }),
  });
  await setup.receive(webhook('user.login.started', { id: 77, uid: CPF, connected: false }));
  await Promise.all(Array.from({ length: events }, (_, at) => indication(at + 1)));
  const request = { identifiers: [CPF], reason: 'request 17' };
  const start = async () =>
    (await setup.post('/api/erasures', { ...request, plan: tokenOf(await planned(CPF)) })).body;
  expect(await start()).toMatchObject({
    state: 'unfinished',
    erasure: 'x1',
    problem:
      'a legal hold of user:77, user-login:77 was placed meanwhile: what was not erased yet stays until the hold ends',
  });
  const erased = (await setup.store.events({ flag: 'erased' }, { order: 'oldest', limit: 200 })).length;
  expect(erased > 0 && erased < events + 1).toBe(pages > 0);
  await indication(500);
  expect(await start()).toMatchObject({
    error: 'Bad Request',
    message: 'The person is under a legal hold, and nothing was erased',
  });
  expect(await setup.store.events({ flag: 'erased' }, { order: 'oldest', limit: 200 })).toHaveLength(erased);
  expect((await setup.get('/api/erasures/x1')).body).toMatchObject({ state: 'unfinished', receipt: null });
  await setup.post('/api/holds/remove', { subject: 'user:77', reason: 'case closed' });
  expect(await start()).toMatchObject({ state: 'finished', erasure: 'x1' });
});
