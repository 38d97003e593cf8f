import { Hono } from 'hono';
import { z } from 'zod';
import type { Logger } from '../../src/kernel/logger.ts';
import { respondWithError } from '../http/error-responses.ts';
import { Refusal } from '../http/refusal.ts';
import { routedPath } from '../http/routed-path.ts';
import type { Control, ControlParts } from './control.ts';
import { allControls } from './all-controls.ts';
import { loopbackOnly } from './loopback-only.ts';

const BASE = '/control';

/**
 * Drives by hand what otherwise goes on by itself: time, scheduled steps, what
 * agencies, portals and drivers decide, webhooks. No part of the provider's
 * interface: no key, no versions, and only this machine is answered.
 */
export function createControlApp(parts: ControlParts, log: Logger): Hono {
  const app = new Hono({ strict: false }).basePath(BASE);
  app.onError(respondWithError(log));
  app.notFound((c) => {
    const refusal = new Refusal(
      404,
      `There is no ${c.req.method} ${c.req.path}; GET ${BASE} lists what there is`,
    );
    return c.json(refusal.toJSON(), 404);
  });
  app.use(loopbackOnly);
  app.get('/', (c) => c.json({ data: allControls.map(described) }));
  for (const { method, path, respond } of allControls)
    app.on(method, [routedPath(path)], async (c) => c.json(await respond(c, parts)));
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
