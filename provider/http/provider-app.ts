/** The provider's HTTP app. */
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Logger } from '../../src/kernel/logger.ts';
import { FILE_PATH, serveFile } from '../files/serve-file.ts';
import { referenceRoutes } from '../reference/reference-routes.ts';
import type { Provider } from '../provider.ts';
import { awaySeconds } from '../webhooks/chaos/decide-chaos.ts';
import type { Chaos } from '../webhooks/sending/send-delivery.ts';
import { allRoutes } from './all-routes.ts';
import { respondNoRoute, respondWithError } from './error-responses.ts';
import { HttpError } from './http-error.ts';
import { routedPath } from './routed-path.ts';

/** Maximum size of a request body. Certificates have a few kilobytes. */
const MAX_BYTES = 1_048_576;

export interface ProviderAppOptions {
  readonly log: Logger;
  /** Version of Portaria, for the OpenAPI document. */
  readonly version: string;
  /** Serves `/control`. Without it, those paths do not exist. */
  readonly control?: Hono | undefined;
  /** When the endpoints of the specification are away; never by default. */
  readonly chaos?: () => Chaos;
}

/**
 * Creates the provider's HTTP app: the endpoints of the specification, files,
 * `/openapi.json` and `/docs`. A trailing slash makes no difference: the specification
 * writes some paths with one.
 */
export function createProviderApp(
  provider: Provider,
  { log, version, control, chaos }: ProviderAppOptions,
): Hono {
  const app = new Hono({ strict: false });
  app.onError(respondWithError(log));
  app.notFound(respondNoRoute(app));
  app.use(
    bodyLimit({
      maxSize: MAX_BYTES,
      onError: () => {
        throw new HttpError(413, `The body has more than ${String(MAX_BYTES)} bytes`);
      },
    }),
  );
  for (const { endpoint, respond } of allRoutes)
    app.on(endpoint.method, [routedPath(endpoint.path)], (c) => {
      const seconds = chaos === undefined ? null : awaySeconds(chaos(), provider.machine.now());
      if (seconds !== null)
        throw new HttpError(503, 'away by chaos', undefined, { 'retry-after': String(seconds) });
      return respond(c, provider);
    });
  // An app of its own, with its own 404 responses.
  if (control !== undefined)
    app.on('ALL', ['/control', '/control/*'], (c) => control.fetch(c.req.raw, c.env));
  app.get(FILE_PATH, (c) => serveFile(c, provider));
  app.route(
    '/',
    referenceRoutes(
      allRoutes.map(({ endpoint }) => endpoint),
      version,
    ),
  );
  return app;
}
