import { dereference, validate } from '@readme/openapi-parser';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { fixture } from '../support/fixtures.ts';
import { setUpOps, type OpsSetup, type Row } from './ops-setup.ts';

type Document = Parameters<typeof validate>[0];

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}

let setup: OpsSetup;

beforeEach(async () => {
  setup = await setUpOps();
});
afterEach(() => setup.close());

async function document() {
  const { status, body } = await setup.get('/openapi.json');
  expect(status).toBe(200);
  return body as Document & { readonly paths: Record<string, Record<string, Operation>> };
}

/** A request for each operation, on a setup that has one of everything. */
async function requests(): Promise<Record<string, readonly [path: string, body?: object]>> {
  const { type, data } = fixture('charge.updated');
  setup.failing = true;
  const { id } = await setup.receive({ type, data: { ...data, id: 1, status: 'overdue' } });
  await setup.receive({ type, data: { ...data, id: 1, status: 'paid' } });
  await setup.receive({ type, data: { ...data, id: 'x' } });
  await setup.settle();
  const replay = await setup.store.createReplay(
    { filter: { kinds: ['charge.*'] }, handlers: ['billing'], ifNotSucceeded: false, target: null },
    setup.clock.now(),
  );
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
    listReplays: ['/api/replays'],
    showReplay: [`/api/replays/${replay.id}`],
    listHandlers: ['/api/handlers'],
    showStatistics: ['/api/stats'],
    showDispatch: ['/api/dispatch'],
    listProblems: ['/api/attention'],
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
    cancelJob: ['/api/jobs/j1/cancel', {}],
    resumeJob: ['/api/jobs/j1/resume', {}],
  };
}

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const described = await document();
    expect(described).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' } });
    expect(await validate(structuredClone(described))).toMatchObject({ valid: true });
  });

  it('describes every parameter and every field', async () => {
    const undescribed: string[] = [];
    const look = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, member] of Object.entries(value)) {
        const described = ['description', '$ref'].some((key) => Object.hasOwn(Object(member) as object, key));
        if (/\.(?:properties|parameters)$/u.test(path) && !described) undescribed.push(`${path}.${name}`);
        look(member, `${path}.${name}`);
      }
    };
    look(await document(), '');
    expect(undescribed).toEqual([]);
  });

  it('requires the token when there is one', async () => {
    const other = await setUpOps({ token: 'secret' });
    const response = await other.request('/openapi.json', { headers: { authorization: 'Bearer secret' } });
    expect(await response.json()).toMatchObject({
      security: [{ token: [] }],
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      paths: { '/healthz': { get: { security: [] } }, '/readyz': { get: { security: [] } } },
    });
    await other.close();
  });

  it('matches every response', async () => {
    const { paths } = (await dereference(structuredClone(await document()))) as Awaited<
      ReturnType<typeof document>
    >;
    const prepared = await requests();
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    const answered: string[] = [];

    for (const [route, methods] of Object.entries(paths))
      for (const [method, operation] of Object.entries(methods)) {
        const [path, body] = prepared[operation.operationId] ?? [];
        if (path === undefined) throw new Error(`no request for ${method} ${route}`);
        const response = await setup.request(
          path,
          body === undefined
            ? {}
            : {
                method: method.toUpperCase(),
                headers: { 'content-type': 'application/json' },
                body: JSON.stringify(body),
              },
        );
        expect([route, response.status]).toEqual([route, 200]);
        const schema = operation.responses['200']?.content?.['application/json']?.schema;
        if (schema !== undefined) {
          const valid = ajv.validate(closed(schema), await response.json());
          expect([route, valid, ajv.errors]).toEqual([route, true, null]);
        }
        answered.push(operation.operationId);
      }
    expect(answered.sort()).toEqual(Object.keys(prepared).sort());
  });
});

/** The schema, with fields that it does not name forbidden: the answer may hold no more than is described. */
function closed(schema: unknown): object {
  return JSON.parse(
    JSON.stringify(schema, (_key, value: unknown) =>
      typeof value === 'object' && value !== null && 'properties' in value
        ? { ...value, additionalProperties: false }
        : value,
    ),
  ) as object;
}
