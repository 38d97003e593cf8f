import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import type { OpsParts } from './ops-parts.ts';
import { json } from './responses.ts';

const tags = ['probes'];

const healthz = createRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'isAlive',
  summary: 'Whether the process is alive',
  tags,
  security: [],
  responses: {
    200: json(
      z.object({
        status: z.literal('ok').describe('Nothing more is known without asking the store.'),
        version: z.string().describe('Portaria’s own version.'),
      }),
      'It is.',
    ),
  },
});

const readiness = z.object({
  status: z.enum(['ready', 'not-ready']).describe('Also the answer’s status: 200 or 503.'),
  reasons: z.array(z.string()).describe('Why it is not ready.'),
});

const readyz = createRoute({
  method: 'get',
  path: '/readyz',
  operationId: 'isReady',
  summary: 'Whether the process takes webhooks and hands them on',
  tags,
  security: [],
  responses: { 200: json(readiness, 'It does.'), 503: json(readiness, 'It does not.') },
});

const metrics = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'readMetrics',
  summary: 'Prometheus metrics',
  tags,
  responses: { 200: { description: 'The metrics.', content: { 'text/plain': { schema: z.string() } } } },
});

/** Answered to anyone: probes carry no token and name the machine by its address. */
export const openPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

export function addProbeRoutes(app: OpenAPIHono, parts: OpsParts): void {
  app.openapi(healthz, (c) => c.json({ status: 'ok' as const, version: parts.version }, 200));
  app.openapi(readyz, (c) => {
    const reasons = [
      ...(parts.store.healthy() ? [] : ['the store failed at its last write']),
      ...parts.notReady(),
    ];
    return reasons.length === 0
      ? c.json({ status: 'ready' as const, reasons }, 200)
      : c.json({ status: 'not-ready' as const, reasons }, 503);
  });
  app.openapi(metrics, async (c) =>
    c.text(await parts.metrics.metrics(), 200, { 'content-type': parts.metrics.contentType }),
  );
}
