/** Every route of the private port, and what each visitor may do there. A route without a row fails. */
import { Registry as MetricsRegistry } from 'prom-client';
import { afterEach, describe, expect, it } from 'vitest';
import { createConsole } from '../../src/console/console-app.tsx';
import type { ConsoleDeps } from '../../src/console/console-deps.ts';
import { createSignOn, type SignOnSettings } from '../../src/console/sign-on.ts';
import { createOperatorsApi } from '../../src/ops/operators-api.ts';
import { openPaths } from '../../src/ops/probes.ts';
import { sampleData } from '../../src/testing/sample-data.ts';
import { setUpOps, type OpsSetup } from './ops-setup.ts';

const TOKEN = 'operators-token-0123456789';
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

type Role = 'view' | 'operate' | 'unmask';

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

interface Row {
  /** What a visitor needs; null for what is open to everybody. */
  readonly needs: Role | null;
  /** An address of the route. */
  readonly path?: string;
  /** The status for a visitor who has the role. */
  readonly status?: number;
  /** The fields of the form, or the body as JSON. */
  readonly body?: object;
}

const view = { needs: 'view' } as const;

const consoleRoutes: Readonly<Record<string, Row>> = {
  'GET /assets/:version/:name': { needs: null, path: '/assets/0/none.css', status: 404 },
  'GET /sign-in': { needs: null },
  'POST /sign-in': { needs: null, body: { token: TOKEN }, status: 303 },
  'POST /sign-out': { ...view, body: {}, status: 303 },
  'POST /language': { ...view, body: { language: 'en' }, status: 303 },
  'GET /search': { ...view, path: '/search?q=charge', status: 303 },
  'GET /': view,
  'GET /events': view,
  'GET /events/:id': { ...view, path: '/events/1' },
  'POST /events/:id/retry': {
    needs: 'operate',
    path: '/events/1/retry',
    body: { delivery: 'd1' },
    status: 303,
  },
  'GET /subjects/:subject': { ...view, path: '/subjects/charge:1' },
  'GET /failures': view,
  'POST /failures/retry': { needs: 'operate', body: { delivery: 'd1' }, status: 303 },
  'GET /quarantine': view,
  'GET /quarantine/:id': { ...view, path: '/quarantine/q1' },
  'POST /quarantine/release': { needs: 'operate', body: { entry: 'q1' }, status: 303 },
  'GET /handlers': view,
  'GET /replays': view,
  'GET /audit': view,
  'GET /system': view,
};

/** Pages that show personal data on request. */
const unmaskedPages = [
  '/events/1?unmask=true',
  '/quarantine/q1?unmask=true',
  '/subjects/charge:1?unmask=true',
];

const apiRoutes: Readonly<Record<string, Row>> = {
  'GET /healthz': { needs: null },
  'GET /readyz': { needs: null },
  'GET /metrics': view,
  'GET /openapi.json': view,
  'GET /api/events': view,
  'GET /api/events/:id': { ...view, path: '/api/events/1' },
  'GET /api/events/:id/body': { needs: 'unmask', path: '/api/events/1/body?unmask=true' },
  'GET /api/deliveries': view,
  'GET /api/deliveries/:id': { ...view, path: '/api/deliveries/d1' },
  'POST /api/deliveries/retry': { needs: 'operate', body: { ids: ['d1'] } },
  'GET /api/quarantine': view,
  'GET /api/quarantine/:id': { ...view, path: '/api/quarantine/q1' },
  'GET /api/quarantine/:id/body': { needs: 'unmask', path: '/api/quarantine/q1/body?unmask=true' },
  'POST /api/quarantine/release': { needs: 'operate', body: { ids: ['q1'] } },
  'GET /api/subjects/:subject': { ...view, path: '/api/subjects/charge:1' },
  'GET /api/machines': view,
  'GET /api/machines/:machine/:subject': { ...view, path: '/api/machines/charge-status/charge:1' },
  'POST /api/machines/rebuild': { needs: 'operate', body: { machine: 'charge-status' } },
  'GET /api/replays': view,
  'GET /api/replays/:id': { ...view, path: '/api/replays/r1', status: 404 },
  'GET /api/handlers': view,
  'GET /api/stats': view,
  'GET /api/dispatch': view,
  'GET /api/attention': view,
  'GET /api/audit': view,
  'GET /api/audit/check': view,
};

let setup: OpsSetup;

afterEach(() => setup.close());

async function open(): Promise<void> {
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
  const { byHandler, quarantineHeld } = await setup.store.totals();
  const deliveries = await setup.store.deliveries({}, { order: 'oldest', limit: 100 });
  return {
    byHandler,
    quarantineHeld,
    attempts: deliveries.map(({ id, status, attempts }) => [id, status, attempts]),
  };
}

function expected({ needs, status = 200 }: Row, visitor: Visitor, api: boolean): number {
  const may: readonly Role[] | null = visitors[visitor];
  if (needs === null) return status;
  if (may === null) return api ? 401 : 303;
  return may.includes('view') && may.includes(needs) ? status : 403;
}

describe.each([
  ['the console', consoleRoutes, false],
  ['the operators’ API', apiRoutes, true],
] as const)('%s', (_where, routes, api) => {
  it.each(Object.entries(routes))('%s', async (name, row) => {
    await open();
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
  await open();
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
