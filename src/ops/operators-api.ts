import { OpenAPIHono } from '@hono/zod-openapi';
import type { Env } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { answerError, answerNotFound } from './answer-error.ts';
import { bearerToken } from './bearer-token.ts';
import { addDeliveryRoutes } from './routes/delivery-routes.ts';
import { addEventRoutes } from './routes/event-routes.ts';
import { jsonOnly } from './json-only.ts';
import { knownRoute } from './known-route.ts';
import { loopbackHost } from './loopback-host.ts';
import { addMachineRoutes } from './routes/machine-routes.ts';
import { noStore } from './no-store.ts';
import { openApiDocument } from './open-api-document.ts';
import type { OpsParts } from './ops-parts.ts';
import { ownPagesOnly } from './own-pages-only.ts';
import { addProbeRoutes } from './routes/probe-routes.ts';
import { openPaths } from './probes.ts';
import { addProcessRoutes } from './routes/process-routes.ts';
import { addQuarantineRoutes } from './routes/quarantine-routes.ts';
import { refuseParameters } from './refuse-parameters.ts';
import { addReplayRoutes } from './routes/replay-routes.ts';
import { reportActions } from './report-actions.ts';
import { addStoreGauges } from './store-gauges.ts';
import { addSubjectRoutes } from './routes/subject-routes.ts';

/** Requests carry ids and conditions, never payloads. */
const MAX_BYTES = 1_048_576;

/**
 * All of the private port: probes, metrics, and an API with the views of the
 * command line, described by `/openapi.json`.
 */
export function createOperatorsApi(parts: OpsParts): OpenAPIHono {
  const app = new OpenAPIHono<Env>({ defaultHook: refuseParameters });
  const guard = parts.token === null ? loopbackHost : bearerToken(parts.token);

  addStoreGauges(parts.metrics, parts);
  app.onError(answerError(parts.log));
  app.notFound(answerNotFound);
  app.use(noStore);
  app.use(reportActions(app, parts));
  app.use((c, next) => (openPaths.has(c.req.path) ? next() : ownPagesOnly(c, next)));
  app.use((c, next) => (openPaths.has(c.req.path) ? next() : guard(c, next)));
  app.use(knownRoute(app));
  app.use(jsonOnly);
  app.use(bodyLimit({ maxSize: MAX_BYTES }));

  addProbeRoutes(app, parts);
  addEventRoutes(app, parts);
  addDeliveryRoutes(app, parts);
  addQuarantineRoutes(app, parts);
  addSubjectRoutes(app, parts);
  addMachineRoutes(app, parts);
  addReplayRoutes(app, parts);
  addProcessRoutes(app, parts);

  const document = openApiDocument(app, parts);
  app.get('/openapi.json', (c) => c.json(document));
  return app;
}
