/** The operators' API: guards, routes and the OpenAPI document of the private port. */
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Env } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { createRequestAudit } from '../access/audited-request.ts';
import type { Access } from '../access/visitor.ts';
import type { Auditor } from '../audit/auditor.ts';
import { handleError, notFound } from './errors.ts';
import {
  authenticate,
  noStore,
  rejectForeignPages,
  requireJson,
  requireRole,
  requireRoute,
} from './guards.ts';
import { rejectParameters } from './parameters.ts';
import type { OpsDeps } from './ops-deps.ts';
import { openPaths } from './probes.ts';
import { auditedApi, recordChanges } from './audited-routes.ts';
import { addAuditRoutes } from './routes/audit-routes.ts';
import { addDeliveryRoutes } from './routes/delivery-routes.ts';
import { addEventRoutes } from './routes/event-routes.ts';
import { addFailureRoutes } from './routes/failure-routes.ts';
import { addJobRoutes } from './routes/job-routes.ts';
import { addMachineRoutes } from './routes/machine-routes.ts';
import type { Erasures } from '../privacy/serve/erasures.ts';
import { addPauseRoutes } from './routes/pause-routes.ts';
import { addPrivacyRoutes } from './routes/privacy-routes.ts';
import { addProbeRoutes } from './routes/probe-routes.ts';
import { addProcessRoutes } from './routes/process-routes.ts';
import { addQuarantineRoutes } from './routes/quarantine-routes.ts';
import { addSubjectRoutes } from './routes/subject-routes.ts';
import { addMonitoringGauges } from './monitoring-gauges.ts';
import { addStoreGauges } from './store-gauges.ts';
import { Gauge, type Registry } from 'prom-client';
import type { Store } from '../store/store.ts';

/** Bytes of a request body at most: it holds ids and conditions, no payloads. */
const MAX_BODY_BYTES = 1_048_576;

/**
 * Builds all routes of the private port: probes, metrics, and an API with the
 * views of the command line. `/openapi.json` describes them.
 */
export function createOperatorsApi(
  deps: OpsDeps & Access & { readonly auditor: Auditor; readonly erasures: Erasures },
): OpenAPIHono {
  const app = new OpenAPIHono<Env>({ defaultHook: rejectParameters });
  const audit = createRequestAudit(deps, auditedApi(app));
  const guards = [audit.middleware, rejectForeignPages(deps), authenticate(deps), requireRole];

  addStoreGauges(deps.metrics, deps);
  addMonitoringGauges(deps.metrics, deps);
  addProcessGauges(deps.metrics, deps);
  app.onError(handleError(deps.log));
  app.notFound(notFound);
  app.use(noStore);
  for (const guard of guards) app.use((c, next) => (openPaths.has(c.req.path) ? next() : guard(c, next)));
  app.use(requireRoute(app));
  app.use(requireJson);
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES }));

  recordChanges(app, audit);
  addProbeRoutes(app, deps);
  addEventRoutes(app, deps);
  addDeliveryRoutes(app, deps);
  addQuarantineRoutes(app, deps);
  addSubjectRoutes(app, deps);
  addMachineRoutes(app, deps);
  addProcessRoutes(app, deps);
  addAuditRoutes(app, deps);
  addPauseRoutes(app, deps);
  addFailureRoutes(app, deps);
  addJobRoutes(app, deps);
  addPrivacyRoutes(app, deps);

  // Made once, when somebody asks for it.
  let document: ReturnType<typeof openApiDocument> | undefined;
  app.get('/openapi.json', (c) => c.json((document ??= openApiDocument(app, deps))));
  return app;
}

/** OpenAPI 3.1, from the schemas that validate requests and shape responses. */
function openApiDocument(
  app: OpenAPIHono,
  { token, version }: Pick<OpsDeps, 'token' | 'version'>,
): ReturnType<OpenAPIHono['getOpenAPI31Document']> {
  if (token !== null)
    app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Portaria, private port',
      version,
      description:
        'Inspect and operate a webhook receiver. Personal data is masked unless `unmask=true`. ' +
        'Instants are ISO 8601 in UTC.',
    },
    servers: [{ url: '/' }],
    ...(token !== null && { security: [{ token: [] }] }),
  });
}

/** What the metrics of a process are read from. */
interface ProcessGaugesDeps {
  readonly store: Pick<Store, 'healthy' | 'storeId'>;
  readonly version: string;
}

/** Registers what differs between the processes of one store, and which store that is. */
export function addProcessGauges(registry: Registry, { store, version }: ProcessGaugesDeps): void {
  registry.registerMetric(
    new Gauge({
      name: 'portaria_store_healthy',
      help: '1 when the last write of this process succeeded, else 0.',
      registers: [],
      collect() {
        this.set(store.healthy() ? 1 : 0);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'portaria_info',
      help: 'Always 1: the store of this process, which all processes of an installation share, and its version.',
      labelNames: ['store_id', 'version'],
      registers: [],
      collect() {
        this.set({ store_id: store.storeId, version }, 1);
      },
    }),
  );
}
