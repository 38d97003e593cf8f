/** Every route of the private port, and what each visitor may do there. A route without a row fails. */
import { Registry as MetricsRegistry } from 'prom-client';
import { afterAll, describe, expect, it } from 'vitest';
import { createConsole } from '../../src/console/console-app.tsx';
import type { ConsoleDeps } from '../../src/console/console-deps.ts';
import { createSignOn, type SignOnSettings } from '../../src/access/sign-on.ts';
import { createOperatorsApi } from '../../src/ops/operators-api.ts';
import { openPaths } from '../../src/ops/probes.ts';
import { sampleData } from '../../src/testing/sample-data.ts';
import { setUpOps, type OpsSetup } from './ops-setup.ts';
import { apiRoutes, consoleRoutes, TOKEN, unmaskedPages, type Role, type Row } from './role-tables.ts';

const VIEW_TOKEN = 'view-token-0123456789';
const PROXY = '10.0.0.7';

const singleSignOn: SignOnSettings = {
  header: 'x-forwarded-user',
  proxies: [PROXY],
  users: new Map([
    ['reader', ['view']],
    ['operator', ['view', 'operate']],
    ['unmasker', ['view', 'unmask']],
    ['boss', ['view', 'operate', 'unmask']],
  ]),
};

/** Everybody who may come, in an order in which those who may change something come last. */
const visitors = {
  nobody: null,
  'somebody without a role': [],
  'the view token': ['view'],
  reader: ['view'],
  unmasker: ['view', 'unmask'],
  operator: ['view', 'operate'],
  boss: ['view', 'operate', 'unmask'],
  'the token': ['view', 'operate', 'unmask'],
} as const satisfies Record<string, readonly Role[] | null>;

type Visitor = keyof typeof visitors;

let setup: OpsSetup;
let isUnchanged = false;

afterAll(() => setup.close());

/** @param toRead takes one from which others have only read: opening one costs more than to read from it */
async function open({ toRead = false } = {}): Promise<void> {
  if (toRead && isUnchanged) return;
  await (setup as OpsSetup | undefined)?.close();
  isUnchanged = toRead;
  setup = await setUpOps({ token: TOKEN, viewToken: VIEW_TOKEN, singleSignOn });
  setup.failing = true;
  const data = { ...sampleData('charge.updated'), id: 1 };
  await setup.receive({ type: 'charge.updated', data });
  await setup.receive({ type: 'charge.updated', data: { id: 'one' } });
  await setup.settle();
}

/** The headers by which a visitor is known, and the address that requests come from. */
async function credentials(visitor: Visitor, api: boolean): Promise<Record<string, string>> {
  setup.peer = '10.9.9.9';
  if (visitor === 'nobody') return {};
  if (visitor === 'the token' || visitor === 'the view token') {
    const token = visitor === 'the token' ? TOKEN : VIEW_TOKEN;
    if (api) return { authorization: `Bearer ${token}` };
    const signedIn = await setup.request('http://ops.example/sign-in', form({ token }));
    return { cookie: signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
  }
  setup.peer = PROXY;
  return { 'x-forwarded-user': visitor };
}

function form(fields: object, headers: Readonly<Record<string, string>> = {}): RequestInit {
  const body = new URLSearchParams(fields as Record<string, string>).toString();
  return {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(Buffer.byteLength(body)),
      ...headers,
    },
  };
}

/** Sends a request as a visitor: a form with the token of a page that this visitor sees. */
async function statusOf(name: string, row: Row, visitor: Visitor, api: boolean): Promise<number> {
  const [method, route = ''] = name.split(' ');
  const headers = { ...(await credentials(visitor, api)), accept: 'text/html' };
  const address = `http://ops.example${row.path ?? route}`;
  if (method === 'GET') return (await setup.request(address, { headers })).status;
  if (api) {
    const json = { ...headers, 'content-type': 'application/json' };
    return (await setup.request(address, { method: 'POST', headers: json, body: JSON.stringify(row.body) }))
      .status;
  }
  const page = await (await setup.request('http://ops.example/events', { headers })).text();
  const _token = /name="_token" value="([^"]*)"/u.exec(page)?.[1] ?? '';
  return (await setup.request(address, form({ _token, ...row.body }, headers))).status;
}

/** What a change of any row would change. */
async function state(): Promise<object> {
  const { byHandler, quarantined } = await setup.store.totals();
  const deliveries = await setup.store.deliveries({}, { order: 'oldest', limit: 100 });
  return {
    byHandler,
    quarantined,
    pauses: (await setup.store.pauses()).length,
    jobs: (await setup.store.jobs({ limit: 100 })).length,
    holds: await setup.store.holds(),
    erasures: await setup.store.erasures(),
    attempts: deliveries.map(({ id, status, attempts }) => [id, status, attempts]),
  };
}

function expected({ needs, status = 200 }: Row, visitor: Visitor, api: boolean): number {
  const may: readonly Role[] | null = visitors[visitor];
  if (needs === null) return status;
  if (may === null) return api ? 401 : 303;
  const needed: readonly Role[] = typeof needs === 'string' ? [needs] : needs;
  return may.includes('view') && needed.every((role) => may.includes(role)) ? status : 403;
}

describe.each([
  ['the console', consoleRoutes, false],
  ['the operators’ API', apiRoutes, true],
] as const)('%s', (_where, routes, api) => {
  it.each(Object.entries(routes))('%s', async (name, row) => {
    await open({ toRead: name.startsWith('GET ') });
    const found: Record<string, number> = {};
    const wanted: Record<string, number> = {};
    for (const visitor of Object.keys(visitors) as Visitor[]) {
      const before = await state();
      found[visitor] = await statusOf(name, row, visitor, api);
      wanted[visitor] = expected(row, visitor, api);
      const isAllowed = wanted[visitor] === (row.status ?? 200) && visitor !== 'nobody';
      // A read-only visitor must not rewrite anything, whatever form is sent.
      if (!isAllowed) expect(await state(), visitor).toEqual(before);
    }
    expect(found).toEqual(wanted);
  });
});

it.each(unmaskedPages)('%s needs the role unmask', async (path) => {
  await open({ toRead: true });
  const found: Record<string, number> = {};
  const wanted: Record<string, number> = {};
  for (const visitor of Object.keys(visitors) as Visitor[]) {
    found[visitor] = await statusOf(`GET ${path}`, { needs: 'unmask' }, visitor, false);
    wanted[visitor] = expected({ needs: 'unmask' }, visitor, false);
  }
  expect(found).toEqual(wanted);
});

it('rejected forms are in the audit, with who tried what', async () => {
  await open();
  for (const visitor of ['reader', 'the view token'] as const)
    await statusOf('POST /failures/retry', { needs: 'operate', body: { delivery: 'd1' } }, visitor, false);
  const entries = await setup.store.audit({ result: 'rejected' }, { order: 'oldest', limit: 10 });
  expect(entries.map(({ actor, action, status }) => [actor, action, status])).toEqual([
    ['reader', 'retryDeliveries', 403],
    ['view token', 'retryDeliveries', 403],
  ]);
});

it('the tables have every route, and no route that is gone', async () => {
  await open();
  const deps = {
    store: setup.store,
    signOn: createSignOn(null),
    tokens: { all: null, view: null },
    token: null,
    viewToken: null,
    version: '1.2.3',
    registry: { contract: {}, definitions: [] },
    metrics: new MetricsRegistry(),
  } as unknown as ConsoleDeps & Parameters<typeof createOperatorsApi>[0];
  const namesOf = (app: { readonly routes: readonly { method: string; path: string }[] }) => [
    ...new Set(
      app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`),
    ),
  ];
  expect(namesOf(await createConsole(deps)).toSorted()).toEqual(Object.keys(consoleRoutes).toSorted());
  expect(namesOf(createOperatorsApi(deps)).toSorted()).toEqual(Object.keys(apiRoutes).toSorted());
  expect([...openPaths]).toEqual(['/healthz', '/readyz']);
});

describe('the audit of the API', () => {
  const post = async (path: string, body: object): Promise<Response> =>
    setup.request(`http://ops.example${path}`, {
      method: 'POST',
      headers: { ...(await credentials('boss', true)), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('has one spelling of each id', async () => {
    await open();
    for (const id of ['d01', 'd00000000001', `d${'0'.repeat(20)}1`])
      expect((await post('/api/deliveries/retry', { ids: [id] })).status, id).toBe(400);
    expect((await post('/api/deliveries/retry', { ids: ['d1'] })).status).toBe(200);
    const [entry] = await setup.store.audit({ subject: 'd1' }, { order: 'newest', limit: 1 });
    expect(entry).toMatchObject({ actor: 'boss', action: 'retryDeliveries', result: 'done' });
  });

  it('names the person of a pause, masks what was written of another, and keeps a plan to itself', async () => {
    await open();
    const paused = await (
      await post('/api/pauses', { handler: 'billing', reason: 'asked by 529.982.247-25' })
    ).json();
    expect(paused).toMatchObject({ paused_by: 'boss', reason: expect.not.stringContaining('529') as string });

    const { plan } = (await (await post('/api/plans', { action: 'retry' })).json()) as { plan: string };
    await post('/api/jobs', { plan });
    const entries = await setup.store.audit({}, { order: 'newest', limit: 10 });
    expect(entries.map(({ action }) => action)).toContain('startPlan');
    expect(JSON.stringify(entries)).not.toContain(plan.slice(0, 40));
    expect(entries.find(({ action }) => action === 'pauseDispatch')?.reason).toMatch(/^asked by <cpf>|\*/u);
  });
});
