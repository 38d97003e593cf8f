import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Logger } from '../../src/kernel/logger.ts';
import { FILE_PATH, serveFile } from '../files/serve-file.ts';
import { referenceRoutes } from '../reference/reference-routes.ts';
import type { Provider } from '../provider.ts';
import { allRoutes } from './all-routes.ts';
import { answerNoRoute } from './answer-no-route.ts';
import { answerRefusal } from './answer-refusal.ts';
import { Refusal } from './refusal.ts';
import { routedPath } from './routed-path.ts';

/** The largest body: certificates have a few kilobytes. */
const MAX_BYTES = 1_048_576;

export interface ProviderAppOptions {
  readonly log: Logger;
  /** Of Portaria, for the OpenAPI document. */
  readonly version: string;
  /** Answers what is below `/control`; without it nothing does. */
  readonly control?: Hono | undefined;
}

/**
 * The provider's HTTP interface: every endpoint of the specification that is
 * built so far, and `/openapi.json` and `/docs` about them. A slash at the end of a path
 * does not matter: the specification writes some with one.
 */
export function createProviderApp(provider: Provider, { log, version, control }: ProviderAppOptions): Hono {
  const app = new Hono({ strict: false });
  app.onError(answerRefusal(log));
  app.notFound(answerNoRoute(app));
  app.use(
    bodyLimit({
      maxSize: MAX_BYTES,
      onError: () => {
        throw new Refusal(413, `A body has at most ${String(MAX_BYTES)} bytes`);
      },
    }),
  );
  for (const { endpoint, respond } of allRoutes)
    app.on(endpoint.method, [routedPath(endpoint.path)], (c) => respond(c, provider));
  // An app of its own: what is not there, is not there for other reasons than below /v1.
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
