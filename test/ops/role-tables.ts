/** What each route of the private port needs. */
export const TOKEN = 'operators-token-0123456789';

export type Role = 'view' | 'operate' | 'unmask';

export interface Row {
  /** What a visitor needs; null for what is open to everybody. */
  readonly needs: Role | readonly Role[] | null;
  /** An address of the route. */
  readonly path?: string;
  /** The status for a visitor who has the role. */
  readonly status?: number;
  /** The fields of the form, or the body as JSON. */
  readonly body?: object;
}

const view = { needs: 'view' } as const;

/** Whoever names a person learns whether somebody is known here. */
const toName = { needs: ['operate', 'unmask'] } as const;

export const consoleRoutes: Readonly<Record<string, Row>> = {
  'GET /assets/:version/:name': { needs: null, path: '/assets/0/none.css', status: 404 },
  'GET /sign-in': { needs: null },
  'POST /sign-in': { needs: null, body: { token: TOKEN }, status: 303 },
  'POST /sign-out': { ...view, body: {}, status: 303 },
  'POST /language': { ...view, body: { language: 'en' }, status: 303 },
  'POST /search': { ...view, body: { q: 'charge' }, status: 303 },
  'GET /': view,
  'GET /events': view,
  'GET /events.csv': view,
  'GET /events/:id': { ...view, path: '/events/1' },
  'GET /subjects/:subject': { ...view, path: '/subjects/charge:1' },
  'GET /failures': view,
  'POST /failures/retry': { needs: 'operate', body: { delivery: 'd1' }, status: 303 },
  'GET /quarantine': view,
  'GET /quarantine/:id': { ...view, path: '/quarantine/q1' },
  'POST /quarantine/release': { needs: 'operate', body: { entry: 'q1' }, status: 303 },
  'POST /quarantine/discard': { needs: 'operate', body: { entry: 'q1', reason: 'mended' }, status: 303 },
  'GET /handlers': view,
  'GET /handlers/:name': { ...view, path: '/handlers/billing' },
  'GET /handlers/pauses/:id': { ...view, path: '/handlers/pauses/p9', status: 404 },
  'GET /audit': view,
  'GET /privacy': view,
  'POST /privacy/hold': { needs: 'operate', body: { subject: 'user:9', reason: 'case 7' }, status: 303 },
  'POST /privacy/hold/end': { needs: 'operate', body: { subject: 'user:8', reason: 'over' }, status: 404 },
  'POST /privacy/plan': { ...toName, body: { person: 'user:77' }, status: 303 },
  'POST /privacy/erase': {
    ...toName,
    body: { plan: 'forged', person: 'user:77', reason: 'request 1' },
    status: 400,
  },
  'GET /privacy/erasures/:id': { ...view, path: '/privacy/erasures/x1', status: 404 },
  'GET /privacy/erasures/:id/receipt.json': {
    ...view,
    path: '/privacy/erasures/x1/receipt.json',
    status: 404,
  },
  'GET /live': view,
  'GET /live/stream': view,
  'GET /events/:id/curl': { ...view, path: '/events/1/curl' },
  'GET /events/:id/payload': { ...view, path: '/events/1/payload' },
  'GET /machines': view,
  'GET /machines/:machine': { ...view, path: '/machines/charge-status' },
  'GET /machines/:machine/:subject': { ...view, path: '/machines/charge-status/charge:1' },
  'GET /contract': view,
  'GET /contract/asyncapi.json': view,
  'GET /contract/:kind': { ...view, path: '/contract/charge.updated' },
  'POST /contract/:kind/send': {
    needs: 'operate',
    path: '/contract/charge.updated/send',
    body: { body: '{}' },
  },
  'POST /handlers/pause': { needs: 'operate', body: { handler: 'billing', reason: 'repair' }, status: 303 },
  'POST /handlers/resume': { needs: 'operate', body: { pause: 'p1' }, status: 404 },
  'GET /plan': { needs: 'operate', path: '/plan?action=retry' },
  'POST /plan/start': { needs: 'operate', body: { plan: 'forged' }, status: 400 },
  'GET /jobs': view,
  'GET /jobs/:id': { ...view, path: '/jobs/j1', status: 404 },
  'POST /jobs/:id/cancel': { needs: 'operate', path: '/jobs/j1/cancel', body: {}, status: 404 },
  'POST /jobs/:id/resume': { needs: 'operate', path: '/jobs/j1/resume', body: {}, status: 404 },
  'GET /senders': view,
  'GET /system': view,
};

/** Pages that show personal data on request. */
export const unmaskedPages = [
  '/events/1?unmask=true',
  '/quarantine/q1?unmask=true',
  '/subjects/charge:1?unmask=true',
];

export const apiRoutes: Readonly<Record<string, Row>> = {
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
  'POST /api/quarantine/discard': { needs: 'operate', body: { ids: ['q1'], reason: 'mended' } },
  'GET /api/subjects/:subject': { ...view, path: '/api/subjects/charge:1' },
  'GET /api/machines': view,
  'GET /api/machines/:machine/:subject': { ...view, path: '/api/machines/charge-status/charge:1' },
  'POST /api/machines/rebuild': { needs: 'operate', body: { machine: 'charge-status' } },
  'GET /api/handlers': view,
  'GET /api/stats': view,
  'GET /api/dispatch': view,
  'GET /api/attention': view,
  'GET /api/reconcile': view,
  'GET /api/failures': view,
  'GET /api/quarantine-problems': view,
  'POST /api/plans': { needs: 'operate', body: { action: 'retry' } },
  'GET /api/jobs': view,
  'POST /api/jobs': { needs: 'operate', body: { plan: 'forged' }, status: 400 },
  'GET /api/jobs/:id': { ...view, path: '/api/jobs/j1', status: 404 },
  'GET /api/jobs/:id/items': { ...view, path: '/api/jobs/j1/items', status: 404 },
  'POST /api/jobs/:id/cancel': { needs: 'operate', path: '/api/jobs/j1/cancel', body: {}, status: 404 },
  'POST /api/jobs/:id/resume': { needs: 'operate', path: '/api/jobs/j1/resume', body: {}, status: 404 },
  'GET /api/pauses': view,
  'POST /api/pauses': { needs: 'operate', body: { handler: 'billing', reason: 'repair' } },
  'POST /api/pauses/resume': { needs: 'operate', body: { handler: 'billing' }, status: 404 },
  'GET /api/holds': view,
  'POST /api/holds': { needs: 'operate', body: { subject: 'user:9', reason: 'case 7' } },
  'POST /api/holds/remove': { needs: 'operate', body: { subject: 'user:8', reason: 'over' }, status: 404 },
  'GET /api/erasures': view,
  'GET /api/erasures/:id': { ...view, path: '/api/erasures/x1', status: 404 },
  'POST /api/erasures/plans': { ...toName, body: { identifiers: ['user:77'] } },
  'GET /api/erasures/plans/:id': { needs: 'unmask', path: '/api/erasures/plans/none', status: 404 },
  'POST /api/erasures': {
    ...toName,
    body: { plan: 'forged', identifiers: ['user:77'], reason: 'request 1' },
    status: 400,
  },
  'GET /api/audit': view,
  'GET /api/audit/check': view,
};
