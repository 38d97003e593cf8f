import { Hono } from 'hono';
import { z } from 'zod';
import type { Logger } from '../../src/kernel/logger.ts';
import { respondWithError } from '../http/error-responses.ts';
import { HttpError } from '../http/http-error.ts';
import { routedPath } from '../http/routed-path.ts';
import type { Control, ControlDeps } from './control.ts';
import { allControls } from './all-controls.ts';
import { loopbackOnly } from './loopback-only.ts';

const BASE = '/control';

/**
 * Creates the app at `/control`, which drives the provider by hand: its clock, scheduled
 * steps, decisions of agencies, portals and drivers, webhooks. It is not part of the
 * specified interface: it has no API key and serves this machine only.
 */
export function createControlApp(deps: ControlDeps, log: Logger): Hono {
  const app = new Hono({ strict: false }).basePath(BASE);
  app.onError(respondWithError(log));
  app.notFound((c) => {
    const error = new HttpError(404, `unknown path: ${c.req.method} ${c.req.path}; GET ${BASE} lists all`);
    return c.json(error.toJSON(), 404);
  });
  app.use(loopbackOnly);
  app.get('/', (c) => c.json({ data: allControls.map(described) }));
  for (const { method, path, respond } of allControls)
    app.on(method, [routedPath(path)], async (c) => c.json(await respond(c, deps)));
  return app;
}

function described({ method, path, summary, body }: Control) {
  return {
    method: method.toUpperCase(),
    path: `${BASE}${path}`,
    summary,
    body: body === null ? null : z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }),
  };
}
