import { fixture } from '../support/webhooks/fixtures.ts';
import type { OpsSetup, Row } from './ops-setup.ts';

type OperationRequest = readonly [path: string, body?: object];

/** Fills a setup with one of everything. Returns a request for each operation of the API, by its id. */
export async function requestOfEachOperation(setup: OpsSetup): Promise<Record<string, OperationRequest>> {
  const { type, data } = fixture('charge.updated');
  setup.failing = true;
  const { id } = await setup.receive({ type, data: { ...data, id: 1, status: 'overdue' } });
  await setup.receive({ type, data: { ...data, id: 1, status: 'paid' } });
  await setup.receive({ type, data: { ...data, id: 'x' } });
  await setup.settle();
  const event = `/api/events/${id}`;
  await setup.store.createJob(
    {
      plan: 'earlier',
      action: 'discard',
      selection: { deliveries: { status: 'dead', subject: { family: 'charge', id: '1' } } },
      planned: 3,
      staged: true,
      rate: 5,
      stopAt: 0.5,
      reason: 'old',
      requestedBy: 'ana',
    },
    setup.clock.now(),
  );
  await setup.store.hold([{ family: 'user', id: '8' }], { reason: 'case 7', placedBy: 'ana' });
  const { body: planned } = await setup.post('/api/erasures/plans', { identifiers: ['user:9'] });
  const { body: erased } = await setup.post('/api/erasures/plans', { identifiers: ['user:10'] });
  const request = { identifiers: ['user:10'], reason: 'request 1' };
  await setup.post('/api/erasures', { ...request, plan: (erased['plan'] as Row)['plan'] });
  const { body: plan } = await setup.post('/api/plans', { action: 'release' });
  return {
    isAlive: ['/healthz'],
    isReady: ['/readyz'],
    readMetrics: ['/metrics'],
    listEvents: ['/api/events'],
    showEvent: [event],
    showEventBody: [`${event}/body?unmask=true`],
    listDeliveries: ['/api/deliveries'],
    showDelivery: ['/api/deliveries/d1'],
    retryDeliveries: ['/api/deliveries/retry', { ids: ['d1', 'd77'] }],
    listQuarantine: ['/api/quarantine'],
    showQuarantineEntry: ['/api/quarantine/q1'],
    showQuarantineBody: ['/api/quarantine/q1/body?unmask=true'],
    releaseQuarantine: ['/api/quarantine/release', {}],
    discardQuarantine: ['/api/quarantine/discard', { ids: ['q1', 'q77'], reason: 'mended' }],
    showSubject: ['/api/subjects/charge:1'],
    listMachines: ['/api/machines'],
    showMachine: ['/api/machines/charge-status/charge:1'],
    rebuildMachines: ['/api/machines/rebuild', { dry_run: true }],
    listHandlers: ['/api/handlers'],
    showStatistics: ['/api/stats'],
    showDispatch: ['/api/dispatch'],
    listProblems: ['/api/attention'],
    listLooks: ['/api/reconcile'],
    listAudit: ['/api/audit'],
    checkAudit: ['/api/audit/check'],
    listHolds: ['/api/holds'],
    addHold: ['/api/holds', { subject: 'user:7', reason: 'case 8' }],
    removeHold: ['/api/holds/remove', { subject: 'user:8', reason: 'over' }],
    planErasure: ['/api/erasures/plans', { identifiers: ['cpf:12345678909'] }],
    showErasurePlan: [`/api/erasures/plans/${String(planned['id'])}`],
    startErasure: [
      '/api/erasures',
      { identifiers: ['user:9'], reason: 'request 2', plan: (planned['plan'] as Row)['plan'] },
    ],
    listErasures: ['/api/erasures'],
    showErasure: ['/api/erasures/x1'],
    listPauses: ['/api/pauses'],
    pauseDispatch: ['/api/pauses', { handler: 'billing', reason: 'repair' }],
    resumeDispatch: ['/api/pauses/resume', { handler: 'billing' }],
    listFailures: ['/api/failures'],
    listQuarantineProblems: ['/api/quarantine-problems'],
    makePlan: ['/api/plans', { action: 'replay', handlers: ['billing'] }],
    startPlan: ['/api/jobs', { plan: plan['plan'] }],
    listJobs: ['/api/jobs'],
    showJob: ['/api/jobs/j1'],
    listJobItems: ['/api/jobs/j1/items'],
    cancelJob: ['/api/jobs/j1/cancel', {}],
    resumeJob: ['/api/jobs/j1/resume', {}],
  };
}

/** Sends a request of {@link requestOfEachOperation}. */
export async function send(
  setup: OpsSetup,
  method: string,
  [path, body]: OperationRequest,
): Promise<Response> {
  if (body === undefined) return setup.request(path);
  return setup.request(path, {
    method: method.toUpperCase(),
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
