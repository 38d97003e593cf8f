/** The route of the audit. */
import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { auditCheckSchema, auditCheckView, auditSchema, auditView } from '../../view/audit-view.ts';
import { auditConditionsWith, auditFilter, instantParameter } from '../../view/parameters/conditions.ts';
import { pageParameters } from '../parameters.ts';
import type { OpsDeps } from '../ops-deps.ts';
import { json, listErrors, pageOf, sendPage } from '../responses.ts';
import { routesOf } from '../routes-of.ts';

const { get } = routesOf('audit');

const query = z.strictObject({
  ...pageParameters(/^u\d+$/u),
  ...auditConditionsWith(instantParameter),
});

const list = get('/api/audit', {
  operationId: 'listAudit',
  summary: 'What operators did',
  request: { query },
  responses: { 200: json(pageOf(auditSchema), 'A page of entries.'), ...listErrors },
});

const check = get('/api/audit/check', {
  operationId: 'checkAudit',
  summary: 'Whether the audit is whole',
  description: 'Checks the hash of every entry, which takes about a second for a hundred thousand.',
  responses: { 200: json(auditCheckSchema, 'What the check found.'), ...listErrors },
});

export function addAuditRoutes(app: OpenAPIHono, { store }: Pick<OpsDeps, 'store'>): void {
  app.openapi(list, async (c) => {
    const { limit, cursor, order, ...given } = c.req.valid('query');
    return sendPage(c, { limit, cursor, order }, (page) => store.audit(auditFilter(given), page), auditView);
  });
  app.openapi(check, async (c) => c.json(auditCheckView(await store.checkAudit()), 200));
}
