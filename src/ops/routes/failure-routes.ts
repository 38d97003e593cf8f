/** The routes of what failed: dead letters and quarantined webhooks, grouped by cause. */
import type { OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import {
  failureGroupSchema,
  failureGroupView,
  problemGroupSchema,
  problemGroupView,
} from '../../view/failure-view.ts';
import { withCompany } from '../../operate/search/with-company.ts';
import { companyParameter, deliveryFilter, ofCompany } from '../../view/parameters/conditions.ts';
import { unmaskParameter } from '../parameters.ts';
import type { OpsDeps } from '../ops-deps.ts';
import { json, listErrors, pageOf } from '../responses.ts';
import { routesOf } from '../routes-of.ts';

const failures = routesOf('deliveries').get('/api/failures', {
  operationId: 'listFailures',
  summary: 'Failed deliveries by handler and kind of error',
  request: {
    query: z.strictObject({
      handler: z.string().optional().describe('Of this handler, machine, or `<machine>/effects`.'),
      company: companyParameter.optional(),
      unmask: unmaskParameter,
    }),
  },
  responses: {
    200: json(pageOf(failureGroupSchema).extend(ofCompany), 'All groups, the last to fail first.'),
    ...listErrors,
  },
});

const problems = routesOf('quarantine').get('/api/quarantine-problems', {
  operationId: 'listQuarantineProblems',
  summary: 'Held entries of the quarantine by problem',
  request: { query: z.strictObject({}) },
  responses: { 200: json(pageOf(problemGroupSchema), 'The last 200 problems.'), ...listErrors },
});

export function addFailureRoutes(app: OpenAPIHono, { store }: OpsDeps): void {
  app.openapi(failures, async (c) => {
    const { handler, company, unmask } = c.req.valid('query');
    const filter = await withCompany(store, deliveryFilter({ handler, company }));
    const data = (await store.failureGroups(filter)).map((group) => failureGroupView(group, { unmask }));
    return c.json({ data, next: null, partial: filter.partial }, 200);
  });
  app.openapi(problems, async (c) => {
    const groups = await store.problemGroups();
    return c.json({ data: groups.map(problemGroupView), next: null }, 200);
  });
}
