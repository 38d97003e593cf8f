import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Logger } from '../../kernel/logger.ts';
import { FILE_PATH, serveFile } from '../files/serve-file.ts';
import type { Service } from '../service.ts';
import { allRoutes } from './all-routes.ts';
import { answerNoRoute } from './answer-no-route.ts';
import { answerRefusal } from './answer-refusal.ts';
import { openApiDocument } from './open-api-document.ts';
import { Refusal } from './refusal.ts';

/** The largest body: certificates have a few kilobytes. */
const MOST_BYTES = 1_048_576;

/**
 * The service's HTTP interface: every endpoint of the specification that is
 * built so far, and `/openapi.json` about them. A slash at the end of a path
 * does not matter: the specification writes some with one.
 */
export function createServiceApp(
  service: Service,
  { log, version }: { readonly log: Logger; readonly version: string },
): Hono {
  const app = new Hono({ strict: false });
  app.onError(answerRefusal(log));
  app.notFound(answerNoRoute(app));
  app.use(
    bodyLimit({
      maxSize: MOST_BYTES,
      onError: () => {
        throw new Refusal(413, `A body has at most ${String(MOST_BYTES)} bytes`);
      },
    }),
  );
  for (const { endpoint, respond } of allRoutes)
    app.on(endpoint.method, [routedPath(endpoint.path)], (c) => respond(c, service));
  app.get(FILE_PATH, (c) => serveFile(c, service));
  // Made when it is first asked for: tests and most runs never do.
  let document: ReturnType<typeof openApiDocument> | undefined;
  app.get('/openapi.json', (c) => {
    document ??= openApiDocument(
      allRoutes.map(({ endpoint }) => endpoint),
      version,
    );
    return c.json(document);
  });
  return app;
}

/** `/v1/companies/{id}` as Hono writes it. */
function routedPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/gu, ':$1');
}
