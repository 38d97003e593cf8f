import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import type { AuditFilter } from '../../store/audit.ts';
import {
  auditCheckSchema,
  auditCheckView,
  auditPlaceSchema,
  auditResultSchema,
  auditSchema,
  auditView,
} from '../../view/audit-view.ts';
import { instantParameter, pageParameters } from '../parameters.ts';
import type { OpsDeps } from '../probes.ts';
import { json, listErrors, pageOf, sendPage } from '../responses.ts';

const tags = ['audit'];

const query = z.strictObject({
  ...pageParameters(/^u\d+$/u),
  since: instantParameter.optional().describe('At or after this instant; UTC unless it has an offset.'),
  until: instantParameter.optional().describe('Before this instant; UTC unless it has an offset.'),
  actor: z.string().optional().describe('By this person; `ana` also finds `ana@host`.'),
  action: z.string().optional().describe('This action, such as `retryDeliveries`.'),
  subject: z.string().optional().describe('About this id or filter, such as `d12` or `company:12`.'),
  place: auditPlaceSchema.optional(),
  result: auditResultSchema.optional(),
  unmasked: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe('Whether personal data was shown.'),
});

const list = createRoute({
  method: 'get',
  path: '/api/audit',
  operationId: 'listAudit',
  summary: 'What operators did',
  tags,
  request: { query },
  responses: { 200: json(pageOf(auditSchema), 'A page of entries.'), ...listErrors },
});

const check = createRoute({
  method: 'get',
  path: '/api/audit/check',
  operationId: 'checkAudit',
  summary: 'Whether the audit is whole',
  description: 'Checks the hash of every entry, which takes about a second for a hundred thousand.',
  tags,
  responses: { 200: json(auditCheckSchema, 'What the check found.'), ...listErrors },
});

export function addAuditRoutes(app: OpenAPIHono, { store }: Pick<OpsDeps, 'store'>): void {
  app.openapi(list, async (c) => {
    const { limit, cursor, order, ...given } = c.req.valid('query');
    return sendPage(c, { limit, cursor, order }, (page) => store.audit(filterOf(given), page), auditView);
  });
  app.openapi(check, async (c) => c.json(auditCheckView(await store.checkAudit()), 200));
}

function filterOf(given: Omit<z.output<typeof query>, 'limit' | 'cursor' | 'order'>): AuditFilter {
  const { since, until, actor, action, subject, place, result, unmasked } = given;
  return {
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(actor !== undefined && { actor }),
    ...(action !== undefined && { action }),
    ...(subject !== undefined && { subject }),
    ...(place && { place }),
    ...(result && { result }),
    ...(unmasked !== undefined && { unmasked }),
  };
}
