/** The routes of probes and metrics. */
import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import type { OpsDeps } from '../ops-deps.ts';
import { liveness, readiness } from '../probes.ts';
import { json } from '../responses.ts';
import { routesOf } from '../routes-of.ts';

const { get } = routesOf('probes');

const healthz = get('/healthz', {
  operationId: 'isAlive',
  summary: 'Whether the process is alive',
  security: [],
  responses: {
    200: json(
      z.object({
        status: z.literal('ok').describe('The process responds.'),
        version: z.string().describe('Portaria’s own version.'),
      }),
      'Alive.',
    ),
  },
});

const readinessSchema = z.object({
  status: z.enum(['ready', 'not-ready']).describe('`ready` with 200, `not-ready` with 503.'),
  reasons: z.array(z.string()).describe('Why it is not ready.'),
});

const readyz = get('/readyz', {
  operationId: 'isReady',
  summary: 'Whether the process accepts and delivers webhooks',
  security: [],
  responses: { 200: json(readinessSchema, 'Ready.'), 503: json(readinessSchema, 'Not ready.') },
});

const metrics = get('/metrics', {
  operationId: 'readMetrics',
  summary: 'Prometheus metrics',
  responses: { 200: { description: 'The metrics.', content: { 'text/plain': { schema: z.string() } } } },
});

export function addProbeRoutes(app: OpenAPIHono, deps: OpsDeps): void {
  app.openapi(healthz, (c) => c.json(liveness(deps), 200));
  app.openapi(readyz, (c) => {
    const found = readiness(deps);
    return found.status === 'ready' ? c.json(found, 200) : c.json(found, 503);
  });
  app.openapi(metrics, async (c) =>
    c.text(await deps.metrics.metrics(), 200, { 'content-type': deps.metrics.contentType }),
  );
}
